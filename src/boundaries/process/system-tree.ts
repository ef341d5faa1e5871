// The operating system as a sandbox sees it by default: which parts are shown, and which of them are secrets. Data only.

/** Top-level names that are links on merged-usr systems and directories on others. */
export const systemNames = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;

/** Shown read-only with `readDefault: system`, where they exist. */
export const systemDirectories = [
  "/usr",
  "/etc",
  "/opt",
  "/nix/store",
  "/var/lib/dpkg",
  "/var/lib/rpm",
  "/var/lib/alternatives",
  "/var/lib/ca-certificates",
  "/var/lib/texmf",
  "/var/lib/ghc",
  "/var/cache/fontconfig",
] as const;

/** What a dynamically linked program needs to start: all that `readDefault: none` shows. */
export const loaderFiles = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"] as const;

/** Relative to /etc. Never shown, unless a policy names exactly that path or one below it in allowRead. */
export const systemSecrets = [
  "apt/auth.conf",
  "apt/auth.conf.d",
  "bind/rndc.key",
  "ceph",
  "cloud",
  "consul.d",
  "containers/auth.json",
  "credstore",
  "credstore.encrypted",
  "cryptsetup-keys.d",
  "cups/ssl",
  "docker/key.json",
  "dovecot/private",
  "exim4/passwd.client",
  "gitlab",
  "gitlab-runner",
  "gshadow",
  "gshadow-",
  "ipsec.d/private",
  "ipsec.secrets",
  "iscsi/iscsid.conf",
  "krb5.keytab",
  "kubernetes",
  "ldap.secret",
  "letsencrypt",
  "libnss-ldap.secret",
  "luks-keys",
  "mysql/debian.cnf",
  "netplan",
  "NetworkManager/system-connections",
  "nomad.d",
  "openvpn",
  "pam_ldap.secret",
  "pki/tls/private",
  "postfix/sasl_passwd",
  "postfix/sasl_passwd.db",
  "ppp/chap-secrets",
  "ppp/pap-secrets",
  "rancher",
  "rclone.conf",
  "salt/pki",
  "samba/private",
  "security/opasswd",
  "shadow",
  "shadow-",
  // No secret: ssh ends over a file there whose owner is neither root nor the caller, and the host's root is nobody inside.
  "ssh/ssh_config.d",
  "ssl/private",
  "sssd",
  "sudoers",
  "sudoers.d",
  "swanctl",
  "vault.d",
  "wireguard",
  "wpa_supplicant",
] as const;

/** Secrets whose file names vary: every entry of the directory that matches. */
export const systemSecretPatterns = [
  { directory: "/etc/ssh", name: /^ssh_host_.*_key$/u },
  { directory: "/etc", name: /^(?:shadow|gshadow)\..*$/u },
  { directory: "/etc/ssl", name: /\.key$/u },
] as const;
