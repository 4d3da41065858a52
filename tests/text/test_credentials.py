"""Keys and tokens are recognised by their form, masked without moving anything, and placeholders are left alone."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecompass.model.secrecy import MASK
from codecompass.text.credentials import (
    DETECTORS,
    compile_any,
    describe_credentials,
    find_credentials,
    mask_credentials,
)
from codecompass.text.sniff import decode

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6" * 40
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f09182736455463728" * 20
UPPER = "QZ2WX3EC4RV5TB6YN7UM" * 10
LETTERS = "qWeRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuIoPaS" * 5
ARMOURED = "\n".join(MIXED[at : at + 64] for at in range(0, 640, 64))
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{ARMOURED}\n-----END RSA PRIVATE KEY-----\n"
# Made here from parts, so that this file holds no credential itself.
SAMPLES = {
    "GitHub token": "ghp_" + MIXED[:36],
    "AWS access key": "AKIA" + UPPER[:16],
    "AWS secret key": "aws_secret_access_key = " + MIXED[:40],
    "Google API key": "AIza" + MIXED[:35],
    "Google OAuth secret": "GOCSPX-" + MIXED[:28],
    "GitLab token": "glpat-" + MIXED[:20],
    "Slack token": "xoxb-" + "1234567890-" + MIXED[:24],
    "Slack webhook": "https://hooks.slack.com/services/" + "T0AB1CD2E/B0FG3HI4J/" + MIXED[:24],
    "Stripe key": "sk_live_" + MIXED[:24],
    "OpenAI key": "sk-proj-" + MIXED[:60],
    "Anthropic key": "sk-ant-api03-" + MIXED[:95],
    "Hugging Face token": "hf_" + LETTERS[:34],
    "npm token": "npm_" + MIXED[:36],
    "PyPI token": "pypi-AgE" + MIXED[:80],
    "SendGrid key": "SG." + MIXED[:22] + "." + MIXED[10:53],
    "DigitalOcean token": "dop_v1_" + HEX[:64],
    "HashiCorp Vault token": "hvs." + MIXED[:95],
    "Azure storage key": "AccountKey=" + MIXED[:86] + "==",
    "JSON web token": "eyJ" + MIXED[:20] + ".eyJ" + MIXED[:30] + "." + MIXED[:43],
    "private key": KEY,
    "age key": "AGE-SECRET-KEY-1" + UPPER[:58],
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_credential_is_found_and_masked_in_place(kind: str) -> None:
    text = f"first = 1\nvalue = '{SAMPLES[kind]}'\nlast = 2\n".encode()
    assert kind in {found.kind for found in find_credentials(text)}
    masked = mask_credentials(text)
    assert len(masked) == len(text) and masked.count(b"\n") == text.count(b"\n")
    assert masked.startswith(b"first = 1\nvalue = '") and masked.endswith(b"'\nlast = 2\n") and MASK in masked
    secret = next(found for found in find_credentials(text) if found.kind == kind)
    assert text[secret.start : secret.end] not in masked
    assert list(find_credentials(masked)) == []


def test_every_row_of_the_table_is_reached() -> None:
    """A detector whose letters never occur in what its pattern matches would find nothing."""
    for row in DETECTORS:
        plain = row.pattern.pattern.replace(b"\\", b"")
        assert all(letters in plain or len(letters) < 4 for letters in row.letters), row.kind


def test_a_service_account_keeps_its_shape() -> None:
    line = '{"type": "service_account", "private_key": "' + KEY.replace("\n", "\\n") + '", "client_email": "a@b.c"}'
    masked = mask_credentials(line.encode()).decode()
    assert MIXED[:64] not in masked and "client_email" in masked and len(masked) == len(line)
    assert "BEGIN RSA PRIVATE KEY" in masked


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 36, "AKIA" + "IOSFODNN7EXAMPLE", "token = ghp_your_token_here", "sk-...", "glpat-" + "*" * 20,
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + MIXED[:43], "sha256:" + HEX[:64], "commit " + HEX[:40],
        "-----BEGIN PUBLIC KEY-----\n" + MIXED[:128] + "\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + MIXED[:128] + "\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "secret_key = settings.SECRET_KEY",
        "integrity sha512-" + MIXED[:86] + "==", "def eyJ_parse(): pass", "hf_hub_download", "npm_config_registry",
    ],
)  # fmt: skip
def test_what_is_public_or_a_placeholder_stays(text: str) -> None:
    assert mask_credentials(text.encode()) == text.encode()


def test_decoding_masks_unless_the_text_is_edited() -> None:
    data = ("key = '" + SAMPLES["GitHub token"] + "'\n").encode()
    text, notes = decode(data)
    assert SAMPLES["GitHub token"] not in text and notes == ("masked_secrets",)
    assert decode(data, masked=False) == (data.decode(), ())
    wide, notes = decode(data.decode().encode("utf-16"))
    assert SAMPLES["GitHub token"] not in wide and set(notes) == {"bom", "masked_secrets"}


def test_what_a_text_holds_is_told_without_telling_it() -> None:
    told = list(describe_credentials("a\nb = '" + SAMPLES["AWS access key"] + "'\n" + KEY))
    assert told == ["AWS access key in line 2", "private key in line 3"]


@given(st.lists(st.sampled_from(sorted(SAMPLES.values())) | st.text(string.printable, max_size=60), max_size=8))
def test_masking_moves_nothing_and_is_done_once(parts: list[str]) -> None:
    text = "\n".join(parts).encode()
    masked = mask_credentials(text)
    assert len(masked) == len(text)
    assert [at for at, sign in enumerate(masked) if sign == 10] == [at for at, sign in enumerate(text) if sign == 10]
    assert mask_credentials(masked) == masked


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_combined_pattern_rules_out_no_credential(kind: str) -> None:
    for before in (b"", b'key = "', b"\xff\x0b"):
        assert compile_any().search(before + SAMPLES[kind].encode()) is not None


def test_the_combined_pattern_rules_out_ordinary_text() -> None:
    """Words of which credentials consist are common; a text that only has them costs no second pass."""
    assert compile_any().search(b"the secret key-value store, a PRIVATE method, sk_test_ and hf_ prefixes") is None
