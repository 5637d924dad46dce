import { beginRun } from './results.ts'
import { measureBacklog } from './webhooks/backlog.ts'
import { createSubscribers } from './webhooks/create-subscribers.ts'
import { compareWithDeadReceiver } from './webhooks/dead-receiver.ts'
import { type DeliveringService, startDeliveringService } from './webhooks/delivering-service.ts'
import { measureLatency } from './webhooks/latency.ts'
import { type Receivers, startReceivers } from './webhooks/receivers.ts'
import { reportWebhooks } from './webhooks/report.ts'
import { summarise, type WebhookFigures } from './webhooks/summarise.ts'
import { measureThroughput, type Throughput } from './webhooks/throughput.ts'

/*
 * `npm run bench:webhooks`: measures the rate and latency of webhooks, and the effect of a dead receiver and of a backlog. Loopback
 * only; takes about five minutes and at most eight.
 */

const maxMinutes = 8
const load = { eventsPerSecond: 200, seconds: 10 }

const run = beginRun('webhooks')
const begun = performance.now()
const receivers = await startReceivers(100)
const service = await startDeliveringService()
const tooLong = new AbortController()
const timer = setTimeout(() => tooLong.abort(), maxMinutes * 60_000)
try {
  const ended = new Promise<never>((_resolve, reject) => {
    const words = `not finished within ${maxMinutes} minutes: the machine is too busy with other work`
    tooLong.signal.addEventListener('abort', () => reject(new Error(words)))
  })
  const figures = await Promise.race([measure(service, receivers), ended])
  console.log(reportWebhooks(figures))
  await run.record(figures)
} finally {
  clearTimeout(timer)
  await service.stop()
  await receivers.stop()
}

async function measure(service: DeliveringService, receivers: Receivers): Promise<WebhookFigures> {
  const throughput: Throughput[] = []
  for (const count of [1, 10, 100]) {
    throughput.push(await measureThroughput(service, receivers, { count, deliveries: 20_000, rounds: 2 }))
    say(`deliveries a second to ${count}: ${JSON.stringify(throughput.at(-1))}`)
  }
  await service.clear()
  const subscribers = await createSubscribers(service, receivers.urls.slice(0, 10))
  const latency = await measureLatency(service, receivers, { ...load, subscribers })
  say('measured the latency from commit to receipt')
  const deadReceiver = await compareWithDeadReceiver(service, receivers, { ...load, seconds: 6 })
  say('measured the effect of a dead receiver')
  const backlog = await measureBacklog(service, receivers, 1_000_000)
  say('measured the effect of a million pending deliveries')
  return summarise({ throughput, latency, deadReceiver, backlog, eventsPerSecond: load.eventsPerSecond })
}

function say(what: string): void {
  console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${what}`)
}
