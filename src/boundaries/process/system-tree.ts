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
  "/var/lib/sgml-base",
  "/var/lib/texmf",
  "/var/lib/xml-core",
  "/var/lib/ghc",
  "/var/cache/fontconfig",
] as const;

/** What a dynamically linked program needs to start: all that `readDefault: none` shows. */
export const loaderFiles = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"] as const;

/** Never shown, unless a policy names exactly that path or one below it in allowRead. */
export const systemSecrets = [
  "/etc/apt/auth.conf",
  "/etc/apt/auth.conf.d",
  "/etc/bind/rndc.key",
  "/etc/ceph",
  "/etc/cloud",
  "/etc/consul.d",
  "/etc/containers/auth.json",
  "/etc/credstore",
  "/etc/credstore.encrypted",
  "/etc/cryptsetup-keys.d",
  "/etc/cups/ssl",
  "/etc/docker/key.json",
  "/etc/dovecot/private",
  "/etc/exim4/passwd.client",
  "/etc/gitlab",
  "/etc/gitlab-runner",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/ipsec.d/private",
  "/etc/ipsec.secrets",
  "/etc/iscsi/iscsid.conf",
  "/etc/krb5.keytab",
  "/etc/kubernetes",
  "/etc/ldap.secret",
  "/etc/letsencrypt",
  "/etc/libnss-ldap.secret",
  "/etc/luks-keys",
  "/etc/mysql/debian.cnf",
  "/etc/netplan",
  "/etc/NetworkManager/system-connections",
  "/etc/nomad.d",
  "/etc/openvpn",
  "/etc/pam_ldap.secret",
  "/etc/pki/tls/private",
  "/etc/postfix/sasl_passwd",
  "/etc/postfix/sasl_passwd.db",
  "/etc/ppp/chap-secrets",
  "/etc/ppp/pap-secrets",
  "/etc/rancher",
  "/etc/rclone.conf",
  "/etc/salt/pki",
  "/etc/samba/private",
  "/etc/security/opasswd",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/ssl/private",
  "/etc/sssd",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/swanctl",
  "/etc/vault.d",
  "/etc/wireguard",
  "/etc/wpa_supplicant",
] as const;

/** Secrets whose file names vary: every entry of the directory that matches. */
export const systemSecretPatterns = [
  { directory: "/etc/ssh", name: /^ssh_host_.*_key$/u },
  { directory: "/etc", name: /^(?:shadow|gshadow)\..*$/u },
  { directory: "/etc/ssl", name: /\.key$/u },
] as const;
