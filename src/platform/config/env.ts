/**
 * The settings that hold a secret, or may hold one. Each can be read from the file that the setting with `_FILE` after
 * it names.
 */
export const secretNames = [
  'DATABASE_URL',
  'DATABASE_SYSTEM_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_DIRECT_URL',
  'SANDBOX_CLIENT_SECRET',
  'OPERATOR_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ADDRESS_SOURCE_KEY',
  'HOME_TELECOM_URL',
  'BROADBAND_DATABASE_URL',
  'SMTP_URL',
  'DESK_CLIENT_SECRET',
  'ENCRYPTION_KEYS',
] as const

export type SecretName = (typeof secretNames)[number]

/** The only module that reads process.env. Every value is optional, unparsed text. An empty value counts as unset. */
export const variableNames = [
  ...secretNames,
  ...secretNames.map((name) => `${name}_FILE` as const),
  'HOUSEBILL_ENV',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'DATA_DIR',
  'SANDBOX_CLIENT_ID',
  'OPERATOR_CLIENT_ID',
  'AUTH_AUDIENCE',
  'IDP_ISSUER',
  'IDP_TOKEN_URL',
  'IDP_JWKS_URL',
  'DESK_ISSUER',
  'DESK_CLIENT_ID',
  'DESK_ROLES_CLAIM',
  'QUOTE_VALIDITY_SECONDS',
  'QUOTE_LOCK_DAYS',
  'ACCESS_TOKEN_SECONDS',
  'CONTRACT_URL_TTL_SECONDS',
  'BILLING_DAY',
  'ABANDONED_QUOTE_DAYS',
  'AUDIT_LOG_YEARS',
  'ERASURE_LEDGER',
  'RATE_LIMIT_PER_SECOND',
  'TOKEN_RATE_LIMIT_PER_MINUTE',
  'BROADBAND_CHECK_LIMIT_PER_MINUTE',
  'ADDRESS_MATCH_LIMIT_PER_DAY',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_ALLOW_LOOPBACK',
  'WEBHOOK_DENY',
  'WEBHOOK_REQUIRE_VERIFICATION',
  'PAYMENT_PROCESSOR',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_API_BASE',
  'PROCESSOR_PARALLEL_CALLS',
  'MAIL_FROM',
  'SMTP_CONNECTIONS',
  'SUPPLY_STATUS',
  'COLLECTIONS',
  'COLLECTIONS_FROM',
  'COLLECTIONS_DAILY_LIMIT_POUNDS',
  'REFUNDS',
  'REFUNDS_FROM',
  'REFUNDS_DAILY_LIMIT_POUNDS',
  'ADDRESS_SOURCE',
  'ADDRESS_SOURCE_BASE',
  'OPERATOR_FILE',
  'REQUIRE_PREVIEW',
  'TRUSTED_PROXIES',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'DATABASE_POOL',
  'METRICS_ALLOW',
  'SECURITY_CONTACT',
  'LOG_LEVEL',
  // OpenTelemetry's SDK reads these and others of its standard itself; these decide whether it is loaded.
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
] as const

export type VariableName = (typeof variableNames)[number]
export type Environment = Partial<Record<VariableName, string>>

/** Every variable of the environment, also those that are not settings. */
export function allVariables(): NodeJS.ProcessEnv {
  return process.env
}

export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const environment: Environment = {}
  for (const name of variableNames) {
    const value = source[name]?.trim()
    if (value !== undefined && value !== '') environment[name] = value
  }
  return environment
}
