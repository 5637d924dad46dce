import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DiagLogLevel, diag, trace } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { TracingConfig } from '../platform/config/tracing.ts'

const exporters = {
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
}

/** How long a stop waits for a collector that does not respond. */
const flushWithinMs = 2_000

/**
 * Loads OpenTelemetry's SDK, which reads the rest of its settings from the environment itself, and sends the spans of
 * this process to the operator's collector (OTLP) from now on. Returns what sends the last of them and ends it. The
 * resource names the program only: nothing about the machine or its processes is collected.
 */
export async function startTracing(
  { protocol }: TracingConfig,
  log: Pick<Logger, 'warn'>,
): Promise<() => Promise<void>> {
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base')
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  )
  const { OTLPTraceExporter } = await exporters[protocol]()
  reportFaults(log)
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const named = resourceFromAttributes({ 'service.name': 'housebill', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  trace.setGlobalTracerProvider(provider)
  return () => Promise.race([provider.shutdown().catch(() => undefined), sleep(flushWithinMs)])
}

const reportEveryMs = 60_000

/** A part of what the SDK says: its own name, then words or an error. The endpoint may carry a password. */
function textOfFault(part: unknown): string {
  const text = part instanceof Error ? part.message : typeof part === 'string' ? part : (JSON.stringify(part) ?? '')
  return text.replaceAll(/\/\/[^/@\s]*@/g, '//')
}

/** Logs what the SDK complains about, such as a collector that does not respond, at most once a minute. */
function reportFaults(log: Pick<Logger, 'warn'>): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (...parts: unknown[]) => {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    log.warn({ fault: parts.map(textOfFault).join(' ').slice(0, 300) }, 'traces may be incomplete')
  }
  const ignore = () => undefined
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
}
