"""Bugs of blind tickets: what is signed and when, what counts as a signature, and what a ticket is for."""

from planted import Mutant

K, V, E = "survey/tickets.py", "test_survey_tickets.py", "test_serve_tickets.py"

CATALOGUE = [
    Mutant(
        "signed before it is spent",
        "serve/exchange.py",
        "            if not await self._spent(invitation, hashlib.sha256(blinded).digest()):\n"
        "                return None\n"
        "            loop = asyncio.get_running_loop()\n"
        "            return await loop.run_in_executor(self._thread, self._keys[wave].sign, blinded)\n",
        "            loop = asyncio.get_running_loop()\n"
        "            signed = await loop.run_in_executor(self._thread, self._keys[wave].sign, blinded)\n"
        "            return signed if await self._spent(invitation, hashlib.sha256(blinded).digest()) else None\n",
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "another request for a spent invitation",
        "serve/store.py",
        "return known is not None and bytes(known[0]) == request",
        "return known is not None",
        f"{E}::TestStore",
    ),
    Mutant(
        "a lost signature is lost for good",
        "serve/store.py",
        "return known is not None and bytes(known[0]) == request",
        "return False",
        f"{E}::TestStore",
    ),
    Mutant(
        "a request that is not remembered",
        "serve/store.py",
        '        connection.execute("UPDATE requests SET digest = ? WHERE mark = ?", (request, invitation))\n',
        "",
        f"{E}::TestStore",
    ),
    Mutant(
        "a ticket for many answers",
        "serve/store.py",
        "if connection.execute(use, (given.ticket,)).rowcount != 1:",
        "if connection.execute(use, (given.ticket,)).rowcount > 1:",
        f"{E}::TestStore",
    ),
    Mutant(
        "tickets that are taken for each other",
        "serve/exchange.py",
        "return None if drawn is None else hashlib.sha256(about + drawn).digest()",
        "return None if drawn is None else hashlib.sha256(about).digest()",
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "no ticket is as good as one",
        "serve/app.py",
        "            if ticket is None:  # Unless",
        "            if ticket is None and TICKET in request.headers:  # Unless",
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "a batch with one ticket",
        "serve/app.py",
        "if (code is not None or ticket is not None) and n > 1:",
        "if code is not None and n > 1:",
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "junk that spends an invitation",
        "serve/app.py",
        "if not exchange.key(wave).takes(blinded):",
        "if len(blinded) > exchange.key(wave).width:",
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "a ticket of another survey",
        "serve/exchange.py",
        "about = ticket_about(self._tag, name)",
        'about = ticket_about(ticket and self._tag, name) if ticket[:1] > b"~" else ticket_about(b"\\1" * 16, name)',
        f"{E}::TestOverHttp",
    ),
    Mutant(
        "one key for all waves",
        "serve/opening.py",
        "kept = {wave: store.key(wave, lambda: SigningKey.made().to_bytes()) for wave in waves}",
        "kept = {wave: store.key(waves[0], lambda: SigningKey.made().to_bytes()) for wave in waves}",
        f"{E}::TestStore",
    ),
    Mutant(
        "a key for each start",
        "serve/store.py",
        "        before = self.run(found)\n        if before is not None:\n            return before\n"
        "        new = make()\n"
        "        return self.run(lambda connection: kept(connection, new))\n",
        "        return make()\n",
        f"{E}::TestStore",
    ),
    Mutant(
        "the order of requests in the file",
        "serve/store.py",
        'connection.execute("UPDATE requests SET digest = ? WHERE mark = ?", (request, invitation))',
        'connection.execute("INSERT INTO tickets VALUES (?)", (request + invitation,))\n'
        '        connection.execute("UPDATE requests SET digest = ? WHERE mark = ?", (request, invitation))',
        f"{E}::TestFiles",
    ),
    Mutant(
        "a wave that is no part of a ticket",
        K,
        "tag + json.dumps(wave).encode()",
        "tag",
        f"{V}::TestTickets",
    ),
    Mutant("a trailer that is not looked at", K, "if encoded[-1:] != _TRAILER or encoded", "if encoded", V),
    Mutant("a top bit that is not looked at", K, "_TRAILER or encoded[0] & 0x80:", "_TRAILER:", V),
    Mutant(
        "a salt that is not looked at",
        K,
        "_salted(message, salt) == digest",
        "_salted(message, salt)[:0] == digest[:0]",
        V,
    ),
    Mutant(
        "a salt of any length",
        K,
        "        filled = len(block) - _HASH - 1\n",
        '        filled = len(block) - len(block.lstrip(b"\\0"))\n',
        V,
    ),
    Mutant(
        "a filler that is not looked at", K, "block[: filled + 1] == bytes(filled) + b", "block[filled:][:1] == b", V
    ),
    Mutant(
        "two spellings of a signature",
        K,
        "        if value >= self.modulus:\n            return False\n",
        "",
        V,
    ),
    Mutant("a factor without an inverse", K, "found < modulus and gcd(found, modulus) == 1", "found < modulus", V),
    Mutant("a factor beyond the modulus", K, "if found < modulus and gcd(", "if gcd(", V),
    Mutant(
        "a factor of a weak key that shows through",
        K,
        "while gcd(number, key.modulus) != 1:",
        "while number == 0:",
        V,
    ),
    Mutant(
        "an answer that is not checked",
        K,
        "if len(signed) != self.key.width or self.key.opened(ticket, self._about) is None:",
        "if len(signed) != self.key.width:",
        V,
    ),
    Mutant("no blinding", K, "(number * pow(mask, EXPONENT, key.modulus) % key.modulus)", "number", V),
    Mutant(
        "a request beyond the modulus",
        K,
        "len(blinded) == self.width and int.from_bytes(blinded) < self.modulus",
        "len(blinded) == self.width",
        V,
    ),
    Mutant("a small key", K, "_LEAST, _MOST = 2048, 4096", "_LEAST, _MOST = 8, 4096", V),
    Mutant(
        "a wrong signature that is sent",
        "serve/signing.py",
        "if _raised(signed, EXPONENT, key.modulus) != value:",
        "if signed == 0 != value:",
        V,
    ),
    Mutant(
        "a secret power of what somebody chose",
        "serve/signing.py",
        "mask = factor(key.modulus, coins)",
        "mask = 1",
        V,
    ),
    Mutant(
        "primes of which one is damaged",
        "serve/signing.py",
        "not all(_is_good(each) for each in primes)",
        "not any(_is_good(each) for each in primes)",
        V,
    ),
    Mutant(
        "primes without an inverse of the exponent",
        "serve/signing.py",
        "number > 1 and (number - 1) % EXPONENT != 0 and",
        "number > 1 and",
        V,
    ),
    Mutant(
        "a short modulus",
        "serve/signing.py",
        "found = coins.bits(bits) | 3 << (bits - 2) | 1",
        "found = coins.bits(bits) & ~(1 << (bits - 2)) | 1 << (bits - 1) | 1",
        f"{V}::TestSigning",
    ),
    Mutant(
        "a ticket of the last wave is never known again",
        "serve/app.py",
        "return await self._stored_before(request, once) or PlainTextResponse",
        "return PlainTextResponse",
        f"{E}::TestWaves",
    ),
    Mutant(
        "any key is a retry",
        "serve/app.py",
        "if once is None or not await self._writer.aside(lambda: self._store.has(once)):",
        "if once is None:",
        f"{E}::TestWaves",
    ),
    Mutant(
        "a store that is upgraded meanwhile is taken for damaged",
        "serve/sqlite.py",
        'connection.execute("BEGIN")  # All of it as of one moment: another process may upgrade it meanwhile.',
        "pass",
        f"{E}::TestFiles",
    ),
]
