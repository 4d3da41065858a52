"""Secret names: file names that are never read, indexed or shown, matched on path components without case."""

import re
from fnmatch import translate

SECRET_NAMES = """
    .env .env[!i]* .envi[!r]* .envrc *.env
    .npmrc .netrc _netrc .pypirc .pgpass pgpass.conf .git-credentials .htpasswd .htdigest .boto .s3cfg .dockercfg
    .dockerconfigjson .my.cnf .mylogin.cnf .terraformrc terraform.rc .vault-token .vault_pass .vault_password
    .msmtprc .esmtprc .fetchmailrc .ftpconfig .remote-sync.json sftp-config.json rclone.conf recentservers.xml
    .bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history
    .sqlite_history .irb_history .rediscli_history
    .ssh .gnupg
    id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss
    *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.keystore *.bks *.kdb *.kdbx *.psafe3 *.ppk *.agekey *.ovpn
    secring.* private.asc private[-_.]*.asc *[-_.]private.asc secret.asc secret[-_.]*.asc *[-_.]secret.asc
    private.gpg private[-_.]*.gpg *[-_.]private.gpg
    secrets.yaml secrets.yml secrets.json secrets.toml secrets.ini secrets.cfg secrets.conf secrets.properties
    secrets.xml secrets.txt secrets.plist
    credentials.json application_default_credentials.json credentials.db access_tokens.db accesstokens.json
    client_secret.json client_secret[-_.]*.json client_secrets.json auth.json
    service-account*.json service_account*.json serviceaccount*.json *firebase-adminsdk*.json
    *.tfstate *.tfvars *.tfvars.json
    kubeconfig kubeconfig.y*ml *.kubeconfig
    publish.profile *.publishsettings
""".split()
"""Patterns of one component. They cover every name that begins with `.env`, except `.environment`."""
SECRET_PATHS = """
    .aws/credentials .aws/config .docker/config.json .kube/config .cargo/credentials .cargo/credentials.toml
    .gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json
    .config/hub gh/hosts.yml .azure/azureprofile.json .azure/msal_token_cache.json .oci/config .databricks/config
    .chef/knife.rb .bundle/config .subversion/auth etc/shadow
""".split()
"""Pairs of a directory and a name that is secret only inside it."""
_SECRET = re.compile("|".join(translate(name) for name in SECRET_NAMES))
_PAIRS = frozenset(tuple(pair.split("/")) for pair in SECRET_PATHS)
_SECRET_DIRECTORIES = tuple(f"{above}/" for above in {pair[0] for pair in _PAIRS})
_BACKUP = re.compile(
    r"(?:~|\.(?:bak|back|backup|bkp|old|orig|original|save|saved|copy|tmp|temp|swp|swo|dist-backup|disabled|rej|previous"
    r"|[0-9]{1,14}))+\d*$"
)
"""Suffixes that editors and people add to the name of a copy, which holds the same secret."""
_EDITOR = re.compile(r"^(?:#(.+)#|\.#(.+)|\.(.+)\.sw[a-p])$")
"""Names of the temporary files of editors."""
_PUBLIC_KEY = re.compile(r"(?:^|[-_.])(?:public|pub)(?=[-_.])")
"""Names of public keys: `public.pem`, `server-public.asc`."""


def is_secret(path: str) -> bool:
    """Whether any component of a path has a name that is commonly used for secrets."""
    above = ""
    for part in path.split("/"):
        if is_secret_name(part, above):
            return True
        above = part
    return False


def is_secret_name(name: str, above: str = "") -> bool:
    """Whether one component, given its parent directory's name, is secret; so are copies and backups of a secret."""
    name = _strip_backup_suffix(name.lower())
    if _SECRET.match(name) is not None and not (name.endswith((".pem", ".asc", ".key")) and _PUBLIC_KEY.search(name)):
        return True
    return (above.lower(), name) in _PAIRS


def _strip_backup_suffix(name: str) -> str:
    """Return the name of the original file of a backup or an editor's copy."""
    match = _EDITOR.match(name)
    if match is not None:
        name = next(part for part in match.groups() if part)
    return _BACKUP.sub("", name) or name


def may_hold_secrets(directory: str) -> bool:
    """Whether a directory, given with its trailing slash, may hold secrets under ordinary names."""
    return directory.lower().endswith(_SECRET_DIRECTORIES)
