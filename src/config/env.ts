/** The only module that reads process.env. Every value is optional, unparsed text. An empty value counts as unset. */
const variableNames = [
  'HOUSEBILL_ENV',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'DATABASE_URL',
  'DATABASE_SYSTEM_URL',
  'DATABASE_OWNER_URL',
  'DATA_DIR',
  'SANDBOX_CLIENT_ID',
  'SANDBOX_CLIENT_SECRET',
  'AUTH_AUDIENCE',
  'IDP_ISSUER',
  'IDP_TOKEN_URL',
  'IDP_JWKS_URL',
  'QUOTE_VALIDITY_SECONDS',
  'QUOTE_LOCK_SECONDS',
  'CONTRACT_URL_TTL_SECONDS',
  'BILLING_DAY',
  'ABANDONED_QUOTE_DAYS',
  'RATE_LIMIT_PER_SECOND',
  'TOKEN_RATE_LIMIT_PER_MINUTE',
  'BROADBAND_CHECK_LIMIT_PER_MINUTE',
  'REDIS_URL',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_ALLOW_LOOPBACK',
  'WEBHOOK_REQUIRE_VERIFICATION',
  'PAYMENT_PROCESSOR',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_API_BASE',
  'ADDRESS_SOURCE',
  'ADDRESS_SOURCE_KEY',
  'ADDRESS_SOURCE_BASE',
  'HOME_TELECOM_URL',
  'BROADBAND_DATABASE_URL',
  'OPERATOR_FILE',
  'REQUIRE_PREVIEW',
  'ENCRYPTION_KEYS',
  'TRUSTED_PROXIES',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'PROCESSES',
  'METRICS_ALLOW',
  'LOG_LEVEL',
] as const

export type VariableName = (typeof variableNames)[number]
export type Environment = Partial<Record<VariableName, string>>

export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const environment: Environment = {}
  for (const name of variableNames) {
    const value = source[name]?.trim()
    if (value !== undefined && value !== '') environment[name] = value
  }
  return environment
}
