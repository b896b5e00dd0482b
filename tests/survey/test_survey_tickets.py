"""Tickets by blind signatures: RFC 9474's own vectors, and what is no signature of a key."""

import itertools
import json
import shutil
import subprocess
from math import gcd
from pathlib import Path

import pytest
from flint import fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DiscreetError, ParameterError, StoreError
from discreet.serve import signing
from discreet.serve.signing import BITS, SigningKey
from discreet.survey import tickets
from discreet.survey.tickets import EXPONENT, TicketKey, TicketRequest, factor, ticket_about

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
VECTOR = json.loads((ROOT / "tests" / "data" / "rfc9474.json").read_text())
NUMBER = {name: int(text, 16) for name, text in VECTOR.items() if name != "of"}
BYTES = {name: bytes.fromhex(text) for name, text in VECTOR.items() if name != "of"}
ABOUT = ticket_about(bytes(16), None)
FIXED = SigningKey(NUMBER["p"], NUMBER["q"])


class Listed:
    """Coins that are written down, as whole numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def bits(self, _):
        return self.numbers.pop(0)

    def words(self, n):
        raise NotImplementedError


@pytest.fixture(scope="module")
def rfc():
    return SigningKey(NUMBER["p"], NUMBER["q"])


@pytest.fixture(scope="module")
def key():
    return SigningKey.made(2048)


def rfc_request(rfc, *before):
    mask = pow(NUMBER["inv"], -1, rfc.public.modulus)
    return TicketRequest(rfc.public, BYTES["msg"], Listed(*before, NUMBER["msg_prefix"], NUMBER["salt"], mask))


class TestVectors:
    def test_a_request_is_blinded_as_the_rfc_says(self, rfc):
        assert rfc_request(rfc).blinded == BYTES["blinded_msg"]

    def test_it_is_signed_as_the_rfc_says(self, rfc):
        assert rfc.sign(BYTES["blinded_msg"]) == BYTES["blind_sig"]

    def test_the_answer_becomes_the_signature_of_the_rfc(self, rfc):
        ticket = rfc_request(rfc).ticket(BYTES["blind_sig"])
        assert ticket == BYTES["msg_prefix"] + BYTES["sig"]
        assert rfc.public.opened(ticket, BYTES["msg"]) == BYTES["msg_prefix"]


class TestTickets:
    def test_a_ticket_is_known_by_its_random_bytes(self, key):
        request = TicketRequest(key.public, ABOUT)
        ticket = request.ticket(key.sign(request.blinded))
        assert key.public.opened(ticket, ABOUT) == ticket[:32]
        assert len(ticket) == 32 + 256
        assert repr(request) == "<request for a ticket>"

    def test_one_of_another_wave_survey_or_key_is_none(self, key):
        request = TicketRequest(key.public, ABOUT)
        ticket = request.ticket(key.sign(request.blinded))
        for about in (ticket_about(bytes(16), "spring"), ticket_about(b"\1" * 16, None), b""):
            assert key.public.opened(ticket, about) is None
        assert SigningKey.made(2048).public.opened(ticket, ABOUT) is None
        assert ticket_about(bytes(16), "1") != ticket_about(bytes(16), 1)

    def test_every_bit_counts(self, key):
        request = TicketRequest(key.public, ABOUT)
        ticket = request.ticket(key.sign(request.blinded))
        for place in range(0, 8 * len(ticket), 7):
            changed = bytearray(ticket)
            changed[place // 8] ^= 1 << place % 8
            assert key.public.opened(bytes(changed), ABOUT) is None
        for other in (b"", ticket[:-1], ticket + b"\0", ticket[:32], bytes(len(ticket)), b"\xff" * len(ticket)):
            assert key.public.opened(other, ABOUT) is None

    @pytest.mark.parametrize("place", ["trailer", "salt", "filler", "one", "top", "digest"])
    def test_every_part_of_the_encoding_is_looked_at(self, key, place):
        """Encodings that are nearly right, signed by the key itself."""
        message, width = b"m" * 32 + ABOUT, key.public.width
        salts = (number.to_bytes(48) for number in itertools.count())
        encoded = next(
            bytearray(each) for each in (tickets._encoded(message, salt, width) for salt in salts) if each[0] < 8
        )
        assert key.public.opened(b"m" * 32 + key.sign(bytes(encoded)), ABOUT) == b"m" * 32
        at = {"trailer": -1, "salt": width - 50, "filler": 20, "one": width - 98, "top": 0, "digest": -3}[place]
        encoded[at] ^= 0x80 if place == "top" else 1
        assert key.public.takes(bytes(encoded))
        assert key.public.opened(b"m" * 32 + key.sign(bytes(encoded)), ABOUT) is None

    def test_a_salt_of_another_length_is_refused(self, key):
        """As other programs sign by default, or without any."""
        for length in (0, 32, 47, 49, 64):
            digest = tickets._salted(b"m" * 32 + ABOUT, b"s" * length)
            block = b"\1".rjust(key.public.width - 49 - length, b"\0") + b"s" * length
            encoded = tickets._unmasked(block, digest) + digest + b"\xbc"
            assert key.public.opened(b"m" * 32 + key.sign(encoded), ABOUT) is None

    def test_a_number_beyond_the_modulus_is_no_signature(self, key):
        """Else each ticket would have two spellings."""
        for _ in range(200):
            request = TicketRequest(key.public, ABOUT)
            ticket = request.ticket(key.sign(request.blinded))
            more = int.from_bytes(ticket[32:]) + key.public.modulus
            if more.bit_length() <= 2048:
                assert key.public.opened(ticket[:32] + more.to_bytes(256), ABOUT) is None
                return
        pytest.fail("no signature was small enough")

    def test_an_answer_of_another_key_or_none_is_refused_and_says_nothing_of_it(self, key):
        request = TicketRequest(key.public, ABOUT)
        good = key.sign(request.blinded)
        other = SigningKey.made(2048)
        bad = [b"", good[:-1], good + b"\0", bytes(256), good[::-1], b"\xff" * 256]
        if other.public.takes(request.blinded):
            bad.append(other.sign(request.blinded))
        for answer in bad:
            with pytest.raises(ParameterError, match="signed by the key of this survey"):
                request.ticket(answer)
        assert request.ticket(good)

    def test_requests_and_tickets_have_nothing_in_common(self, key):
        """Blinding is uniform: for every ticket and every request there is exactly one factor that joins them."""
        requests = [TicketRequest(key.public, ABOUT) for _ in range(3)]
        made = [each.ticket(key.sign(each.blinded)) for each in requests]
        n = key.public.modulus
        for request in requests:
            for ticket in made:
                encoded = pow(int.from_bytes(ticket[32:]), EXPONENT, n)
                power = int.from_bytes(request.blinded) * pow(encoded, -1, n) % n
                mask = int.from_bytes(key.sign(power.to_bytes(256)))
                assert pow(mask, EXPONENT, n) == power
                assert gcd(mask, n) == 1

    def test_a_factor_that_cannot_be_divided_by_is_drawn_again(self, rfc):
        n, p = rfc.public.modulus, NUMBER["p"]
        assert factor(n, Listed(0, p, n, n + 1, 2 * p, 5)) == 5

    def test_what_shares_a_factor_with_the_modulus_is_drawn_again(self):
        """A modulus with the factor 3 would show through the blinding which encodings are divisible by it."""
        modulus = 3 * ((1 << 2047) // 3 | 1)
        bad = TicketKey(modulus + (0 if modulus % 2 else 3))
        for _ in range(40):
            assert int.from_bytes(TicketRequest(bad, ABOUT).blinded) % 3

    @pytest.mark.parametrize(
        "modulus", [0, -1, 15, 1 << 2047, (1 << 2046) + 1, (1 << 2048) + 1, (1 << 4096) + 1, 1.5, True, None, "15"]
    )
    def test_what_is_no_modulus_is_refused(self, modulus):
        with pytest.raises(DiscreetError):
            TicketKey(modulus)

    @pytest.mark.parametrize("text", ["", "0", "zz", "00" * 256, "ff" * 255, None, 7])
    def test_what_is_no_key_in_hexadecimal_is_refused(self, text):
        with pytest.raises(ParameterError):
            TicketKey.from_hex(text)

    def test_a_key_is_read_as_it_was_written_and_compared_by_32_digits(self, key):
        assert TicketKey.from_hex(key.public.to_bytes().hex()) == key.public
        assert len(key.public.fingerprint.replace("-", "")) == 32
        assert key.public.fingerprint != SigningKey.made(2048).public.fingerprint

    @settings(max_examples=60, deadline=None)
    @given(st.binary(max_size=400))
    def test_no_bytes_make_it_fail(self, data):
        assert FIXED.public.opened(data, ABOUT) is None
        assert FIXED.public.opened(data.ljust(544, b"\0"), ABOUT) is None


class TestSigning:
    def test_a_new_key_is_as_long_as_it_says_and_primes_are_far_apart(self):
        made = SigningKey.made()
        first, second = made._first, made._second
        assert made.public.modulus.bit_length() == BITS
        assert first.bit_length() == second.bit_length() == BITS // 2
        assert abs(first - second).bit_length() > BITS // 2 - 100
        for prime in (first, second):
            assert pow(2, prime - 1, prime) == pow(3, prime - 1, prime) == 1
            assert (prime - 1) % EXPONENT

    def test_a_second_prime_that_is_close_to_the_first_is_drawn_again(self):
        first, second = NUMBER["p"], NUMBER["q"]
        close = next(each for each in itertools.count(first + 2, 2) if signing._is_good(each))
        bits = 2 * first.bit_length()
        made = SigningKey.made(bits, Listed(first, first, close, second))
        assert made.to_bytes() == FIXED.to_bytes()

    def test_primes_have_both_top_bits_so_that_the_modulus_is_never_short(self):
        least = signing._prime(1024, Listed(*range(0, 100_000, 2)))
        assert 0 < least - (3 << 1022) < 100_000

    def test_a_key_is_kept_and_one_that_is_damaged_is_refused(self, key):
        data = key.to_bytes()
        assert SigningKey.from_bytes(data).public == key.public
        assert str(key._first) not in repr(key)
        for bad in (b"", data[:-1], data[:-2], data[:128] * 2, data[:-1] + bytes([data[-1] ^ 2]), bytes(256)):
            with pytest.raises(DiscreetError):
                SigningKey.from_bytes(bad)

    def test_primes_after_which_the_exponent_has_no_inverse_are_refused(self):
        step = 2 * EXPONENT
        first, second = (
            next(n for n in range(low * step + 1, 1 << 1024, step) if fmpz(n).is_probable_prime())
            for low in ((3 << 1022) // step + 1, (7 << 1021) // step)
        )
        with pytest.raises(ParameterError, match="two primes"):
            SigningKey(first, second)

    @pytest.mark.parametrize("blinded", [b"", b"\1", b"\xff" * 256, bytes(255), bytes(257)])
    def test_what_is_no_number_below_the_modulus_is_not_signed(self, key, blinded):
        with pytest.raises(ParameterError):
            key.sign(blinded)
        with pytest.raises(ParameterError):
            key.sign(key.public.modulus.to_bytes(256))

    def test_the_same_request_gets_the_same_signature_whatever_masks_it(self, key):
        blinded = TicketRequest(key.public, ABOUT).blinded
        assert len({key.sign(blinded) for _ in range(5)}) == 1

    def test_a_miscalculation_is_not_sent(self, key):
        wrong = SigningKey.from_bytes(key.to_bytes())
        wrong._coefficient += 1
        with pytest.raises(StoreError, match="miscalculates"):
            wrong.sign(TicketRequest(key.public, ABOUT).blinded)

    def test_what_is_raised_to_the_secret_power_is_masked_anew_each_time(self, key, monkeypatch):
        seen, raised = [], signing._raised
        monkeypatch.setattr(signing, "_raised", lambda *of: seen.append(of) or raised(*of))
        blinded = TicketRequest(key.public, ABOUT).blinded
        for _ in range(3):
            key.sign(blinded)
        bases = [base for base, power, _ in seen if power in key._powers]
        assert len(set(bases)) == 6
        assert int.from_bytes(blinded) % key._first not in bases

    @pytest.mark.skipif(NODE is None, reason="node is not installed")
    def test_another_program_takes_our_signatures_and_keys(self, key):
        """OpenSSL, by way of Node: PSS with SHA-384 and a salt of 48 bytes."""
        request = TicketRequest(key.public, ABOUT)
        ticket = request.ticket(key.sign(request.blinded))
        program = """
            const [n, data, sig] = process.argv.slice(1).map((text) => Buffer.from(text, "hex"));
            const { subtle } = globalThis.crypto;
            const jwk = { kty: "RSA", n: n.toString("base64url"), e: "AQAB", ext: true };
            const key = await subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);
            console.log(await subtle.verify({ name: "RSA-PSS", saltLength: 48 }, key, sig, data));
        """
        words = [key.public.to_bytes().hex(), (ticket[:32] + ABOUT).hex(), ticket[32:].hex()]
        run = [NODE, "--input-type=module", "-e", program, *words]
        assert subprocess.run(run, check=True, capture_output=True, text=True, timeout=60).stdout.strip() == "true"


@pytest.mark.skipif(NODE is None, reason="node is not installed")
class TestJavaScript:
    """The page's own code, beside this."""

    def test_it_keeps_to_the_vectors(self):
        run = [NODE, "--test", str(ROOT / "js" / "test" / "blind.test.mjs")]
        done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout

    @pytest.mark.parametrize("bits", [2048, 3072])
    def test_what_it_asks_for_is_signed_and_opened_here(self, bits):
        key = SigningKey.made(bits)
        program = """
            import { createInterface } from "node:readline";
            import { fingerprint, fromHex, request, ticket } from "./js/page/blind.js";
            const [key, about] = process.argv.slice(1).map(fromHex);
            const secret = await request(key, about);
            console.log(Buffer.from(secret.blinded).toString("hex"), await fingerprint(key));
            for await (const line of createInterface({ input: process.stdin })) {
              const made = await ticket(key, about, secret, fromHex(line));
              console.log(made ? Buffer.from(made).toString("hex") : "refused");
            }
        """
        words = [NODE, "--input-type=module", "-e", program, key.public.to_bytes().hex(), ABOUT.hex()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(words, cwd=ROOT, **pipes) as process:
            blinded, fingerprint = process.stdout.readline().split()
            assert fingerprint == key.public.fingerprint
            signed = key.sign(bytes.fromhex(blinded))
            out, _ = process.communicate(f"{signed[::-1].hex()}\n{signed.hex()}\n", timeout=60)
        wrong, made = out.split()
        assert wrong == "refused"
        assert key.public.opened(bytes.fromhex(made), ABOUT) == bytes.fromhex(made)[:32]
