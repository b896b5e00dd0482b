"""Bugs of polls: responses, clients of whole surveys, memory, and the page."""

from planted import Mutant

R, S = "test_survey_responses.py", "test_survey_respondents.py"
P = "test_survey_polls.py"
PAY = "        self._pay([context for context, _ in heard])\n"
DRAW = (
    "        drawn = [t._drawn(told, t._coins(context)) "
    "for t, (context, told) in zip(self._tellers, heard, strict=True)]\n"
)

CATALOGUE = [
    Mutant(
        "a survey in any order",
        "survey/responses.py",
        'hashlib.sha256(_DOMAIN + b"".join(forms))',
        'hashlib.sha256(_DOMAIN + b"".join(sorted(forms)))',
        f"{R}::test_the_code_reads_the_vectors",
    ),
    Mutant(
        "a survey without a domain of its own",
        "survey/responses.py",
        'hashlib.sha256(_DOMAIN + b"".join(forms))',
        'hashlib.sha256(b"".join(forms))',
        f"{R}::test_the_code_reads_the_vectors",
    ),
    Mutant(
        "a slip of the pen",
        "survey/responses.py",
        "if not same or hashlib.sha256(data[:-CODED]).digest()[:CODED] != data[-CODED:]:",
        "if not same:",
        f"{R}::test_a_slip_of_the_pen_in_a_code_is_found",
    ),
    Mutant(
        "lengths that even out",
        "survey/gathering.py",
        "if [len(payload) for payload in given.payloads] != self.widths:",
        "if sum(len(payload) for payload in given.payloads) != sum(self.widths):",
        f"{R}::test_a_response_is_added_to_all_boxes_or_refused_in_all",
    ),
    Mutant(
        "another survey's rows",
        "survey/gathering.py",
        "strange = np.flatnonzero((table[:, :HEADER] != head).any(axis=1)).tolist()",
        "strange = np.flatnonzero((table[:, :2] != head[:2]).any(axis=1)).tolist()",
        f"{R}::test_rows_of_bytes_are_read_at_once",
    ),
    Mutant(
        "half of a response",
        "survey/gathering.py",
        "why = np.where(why == GOOD, bad, why)",
        "why = bad",
        f"{R}::test_a_response_is_added_to_all_boxes_or_refused_in_all",
    ),
    Mutant(
        "boxes filled one by one",
        "survey/surveys.py",
        "                    box.held = before[name]",
        "                    box.held = box.held",
        f"{R}::test_an_interrupted_addition_leaves_the_boxes_as_they_were",
    ),
    Mutant(
        "a response for nothing",
        "survey/respondents.py",
        "self._pay([context for context, _ in heard])",
        "pass",
        f"{S}::TestLedgers",
    ),
    Mutant(
        "a charge after the coins",
        "survey/respondents.py",
        f"{PAY}{DRAW}",
        f"{DRAW}{PAY}",
        f"{S}::TestLedgers::test_one_charge_for_all_before_a_coin_is_tossed",
    ),
    Mutant(
        "the limit of one question for the whole",
        "survey/respondents.py",
        "price = MaxDivergence().add(teller._price for teller in self._tellers)",
        "price = MaxDivergence().add([self._tellers[0]._price])",
        f"{S}::TestLoss",
    ),
    Mutant(
        "all paid where one is",
        "survey/respondents.py",
        "owed = [(teller, receipt) for teller, receipt in both if not is_paid(receipt, paid)]",
        "owed = [] if any(is_paid(receipt, paid) for _, receipt in both) else both",
        f"{S}::TestLedgers",
    ),
    Mutant(
        "two devices for the price of one",
        "survey/clients.py",
        "return MaxDivergence().add([self.form.oracle.loss_of(count)] * several)",
        "return MaxDivergence().add([self.form.oracle.loss_of(count)])",
        f"{S}::TestLoss",
    ),
    Mutant(
        "two devices anew for the price of one",
        "survey/clients.py",
        "return Pure(epsilon * (count or 0) * several)",
        "return Pure(epsilon * (count or 0))",
        f"{S}::TestLoss",
    ),
    Mutant(
        "a secret for all to read",
        "survey/memory.py",
        "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)",
        "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)",
        f"{S}::TestMemory",
    ),
    Mutant(
        "a second secret in the place of the first",
        "files.py",
        "os.link(draft, path)",
        "os.replace(draft, path)",
        f"{S}::TestMemory::test_whoever_comes_second_takes_the_secret_of_the_first",
    ),
    Mutant(
        "a new secret for a damaged file",
        "survey/memory.py",
        "if not self.path.exists():",
        "if not self.path.exists() or not self.path.stat().st_size:\n            self.path.unlink(missing_ok=True)",
        f"{S}::TestMemory::test_a_damaged_file_is_refused_and_stays",
    ),
    Mutant(
        "an address that is a policy",
        "survey/polls.py",
        "found = _ADDRESS.fullmatch(collector)",
        "found = _ADDRESS.match(collector)",
        f"{P}::TestPolicy",
    ),
    Mutant(
        "answers in the open",
        "survey/polls.py",
        'found[1].lower() == "http" and found[2].lower() not in _HERE',
        "False",
        f"{P}::TestPolicy",
    ),
    Mutant(
        "a script that ends early",
        "survey/polls.py",
        '.replace("<", "\\\\u003c")',
        "",
        f"{P}::TestWords",
    ),
    Mutant(
        "a lasting answer told by one report",
        "survey/polls.py",
        "form.oracle.loss_of(None if self.memory else 1)",
        "form.oracle.loss_of(1)",
        f"{P}::TestNumbers::test_a_lasting_answer_is_said_by_what_all_its_reports_tell",
    ),
    Mutant(
        "less than anyone could conclude",
        "survey/polls.py",
        "own, other = form.mechanism.support",
        "own, other = form.mechanism.support\n        loss = loss / 2",
        f"{P}::TestNumbers",
    ),
]
