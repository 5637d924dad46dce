import type { VariableReader } from './parse.ts'

/** How traces are sent: OTLP over HTTP, in one of its two encodings. */
export interface TracingConfig {
  protocol: (typeof protocols)[number]
}

const protocols = ['http/protobuf', 'http/json'] as const

/**
 * Whether to record traces. The names and values are OpenTelemetry's: it is off unless an endpoint is set, or the
 * exporter (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export function readTracing(read: VariableReader): TracingConfig | undefined {
  const hasEndpoint = read.has('OTEL_EXPORTER_OTLP_ENDPOINT') || read.has('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const)
    read.url(name, 'may carry credentials')
  const exporter = read.choice('OTEL_TRACES_EXPORTER', hasEndpoint ? ['otlp', 'none'] : ['none', 'otlp'])
  const ofAll = read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', protocols)
  const ofTraces = read.choice('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', protocols)
  if (exporter === 'none' || read.flag('OTEL_SDK_DISABLED')) return undefined
  return { protocol: read.has('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ? ofTraces : ofAll }
}
