// Which environment variables hold a credential of a cloud: by name, or by what their value shows itself to be. A table, not a proof.

const names: readonly RegExp[] = [
  /^AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN)$/u,
  /^(?:AZURE|ARM)_(?:CLIENT_SECRET|CLIENT_CERTIFICATE_PASSWORD|PASSWORD|STORAGE_(?:KEY|CONNECTION_STRING|SAS_TOKEN)|ACCESS_KEY|SAS_TOKEN)$/u,
  /^(?:GOOGLE|GCP|GCLOUD|CLOUDSDK|GEMINI)_(?:API_KEY|CREDENTIALS|SERVICE_ACCOUNT_KEY|OAUTH_ACCESS_TOKEN|AUTH_ACCESS_TOKEN)$/u,
  /^(?:ALIYUN|ALIBABA_CLOUD|ALICLOUD)_(?:ACCESS_KEY_ID|ACCESS_KEY_SECRET|ACCESS_KEY|SECRET_KEY|SECURITY_TOKEN)$/u,
  /^(?:TENCENTCLOUD|HUAWEICLOUD|HW|OS|OCI|IBMCLOUD|IC|SCW|LINODE|VULTR|HCLOUD|DIGITALOCEAN|DO|CLOUDFLARE|CF|HEROKU|FLY|VERCEL|NETLIFY)_(?:SECRET_ID|SECRET_KEY|ACCESS_KEY|PASSWORD|TOKEN|API_TOKEN|API_KEY|ACCESS_TOKEN|AUTH_TOKEN|AUTH_KEY)$/u,
];

const shapes: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u,
  /\bAIza[0-9A-Za-z_-]{35}/u,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/u,
  /\bDefaultEndpointsProtocol=https?;AccountName=[^;]{1,256};AccountKey=/u,
  /\bdop_v1_[0-9a-f]{64}\b/u,
];

/** In any letter case. */
export function namesCredential(name: string): boolean {
  const upper = name.toUpperCase();
  return names.some((pattern) => pattern.test(upper));
}

export function holdsCredential(value: string): boolean {
  return shapes.some((pattern) => pattern.test(value));
}
