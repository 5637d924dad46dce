import { type Measured, reportAddresses } from '../addresses/report.ts'
import { type AuditFigures, reportAudit } from '../audit-log/report.ts'
import { type ContractFeedFigures, reportContractFeed } from '../contract-feed/report.ts'
import { type EventLoopFigures, reportEventLoop } from '../event-loop/report.ts'
import { type GrowthFigures, reportGrowth } from '../growth/report.ts'
import { type IdleFigures, reportIdle } from '../idle/report.ts'
import { type JourneyFigures, reportJourneys } from '../journeys/report.ts'
import { type MemoryFigures, reportMemory } from '../memory/report.ts'
import { type ProtectionFigures, reportProtection } from '../protection/report.ts'
import { type RequestFigures, reportRequests } from '../requests/report.ts'
import { reportStart, type StartFigures } from '../start-time/report.ts'
import { reportUpstreams, type UpstreamFigures } from '../upstreams/report.ts'
import { type ListFigures, reportLists } from '../webhook-lists/report.ts'
import { reportWebhooks } from '../webhooks/report.ts'
import type { WebhookFigures } from '../webhooks/summarise.ts'
import { drawRatios, drawStepTimes } from './charts.ts'
import type { BenchmarkName } from './results-file.ts'

/** How the figures of one benchmark are shown. */
export interface Section<Figures> {
  title: string
  /** The text below the title and the words about the run, as Markdown. Its own headings have three #. */
  report(figures: Figures): string
  chart?: { file: string; description: string; draw(figures: Figures): string }
}

interface FiguresOf {
  requests: RequestFigures
  journeys: JourneyFigures
  memory: MemoryFigures
  start: StartFigures
  idle: IdleFigures
  'event-loop': EventLoopFigures
  protection: ProtectionFigures
  audit: AuditFigures
  upstreams: UpstreamFigures
  webhooks: WebhookFigures
  'webhook-lists': ListFigures
  'contract-feed': ContractFeedFigures
  addresses: Measured
  growth: GrowthFigures
}

/** To add a benchmark to the page, add its name to `benchmarkNames` and a row here, and let it call `beginRun`. */
export const sections: { readonly [Name in BenchmarkName]: Section<FiguresOf[Name]> } = {
  requests: {
    title: 'Requests, beside bare Fastify and a mock',
    report: reportRequests,
    chart: { file: 'requests.svg', description: 'The ratio of each request to its baseline', draw: drawRatios },
  },
  journeys: {
    title: 'Whole journeys',
    report: reportJourneys,
    chart: { file: 'journeys.svg', description: 'The p99 of each step of a journey', draw: drawStepTimes },
  },
  memory: { title: 'Memory', report: reportMemory },
  start: { title: 'The time to start', report: reportStart },
  idle: { title: 'An idle service', report: reportIdle },
  'event-loop': { title: 'The event loop', report: reportEventLoop },
  protection: { title: 'What protection costs', report: reportProtection },
  audit: { title: 'The audit log under load', report: reportAudit },
  upstreams: { title: 'Upstreams: the guarded client and an outage', report: reportUpstreams },
  webhooks: { title: 'Webhooks: rate, latency, a dead receiver and a backlog', report: reportWebhooks },
  'webhook-lists': { title: 'Lists of deliveries and events: a million rows', report: reportLists },
  'contract-feed': { title: 'The feed and the export of contracts', report: reportContractFeed },
  addresses: { title: 'Thirty million homes', report: reportAddresses },
  growth: { title: 'Growth', report: reportGrowth },
}
