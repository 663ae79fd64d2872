"""Certificates for a cluster of one machine and one run: made at its start, in a private folder, gone with it.

Other users of a machine reach its loopback too; without TLS they could run code as us.
"""

from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from msd_review.edges import clock, files
from msd_review.fleet.security import Tls

_DAYS = 30
_NAME = "msd fleet, this machine"


def make_certificates(folder: Path) -> Tls:
    """One key and one certificate that is its own authority, for all sides. Raises OSError."""
    files.make_private(folder)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = clock.now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    tls = Tls(ca=folder / "cert.pem", cert=folder / "cert.pem", key=folder / "key.pem")
    files.write_atomic(tls.key, private, mode=0o600)
    files.write_atomic(tls.cert, certificate.public_bytes(serialization.Encoding.PEM), mode=0o600)
    return tls
