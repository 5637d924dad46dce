import { systemClock } from '../../src/platform/kernel/clock.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { getWebhook } from '../../src/webhooks/endpoints/list-webhooks.ts'
import type { Webhook } from '../../src/webhooks/endpoints/subscription.ts'
import { updateWebhook } from '../../src/webhooks/endpoints/update-webhook.ts'
import { waitFor } from '../support/wait-for.ts'
import type { Receiver } from './receiver-fixture.ts'
import type { WebhookLab } from './webhook-fixture.ts'

/** What the webhook operations need in order to run on a lab's database. */
export function dependenciesOf(lab: WebhookLab, { partnerId } = lab.caller) {
  const { databases, cipher, resolver } = lab
  return { db: databases.forPartner(partnerId), cipher, resolver, egress: { allowLoopback: true }, clock: systemClock }
}

export const changeWebhook = (
  lab: WebhookLab,
  webhookId: Id<'webhook'>,
  changes: Parameters<typeof updateWebhook>[3],
) => updateWebhook(dependenciesOf(lab), lab.caller, webhookId, changes)

export const readWebhook = (lab: WebhookLab, webhookId: Id<'webhook'>): Promise<Webhook> =>
  getWebhook(dependenciesOf(lab), lab.caller, webhookId)

export const urlOf = ({ port }: Receiver, path = '/') => `https://receiver.test:${port}${path}`

export async function untilVerification(lab: WebhookLab, webhookId: Id<'webhook'>, wanted: Webhook['verification']) {
  await waitFor(`the webhook is ${wanted}`, async () => (await readWebhook(lab, webhookId)).verification === wanted)
}

export async function untilStatus(lab: WebhookLab, webhookId: Id<'webhook'>, wanted: Webhook['status']) {
  await waitFor(`the webhook is ${wanted}`, async () => (await readWebhook(lab, webhookId)).status === wanted)
}

/** Waits until this lab's worker receives notifications. The lab must have exactly one worker. */
export async function untilListening(lab: WebhookLab) {
  const listening = () =>
    lab.rows(
      `select from pg_stat_activity where datname = current_database() and query ilike 'listen%' and state = 'idle'`,
    )
  await waitFor('it listens', async () => (await listening()).length === 1)
}

export async function untilDispatched(lab: WebhookLab) {
  await waitFor(
    'every event is dispatched',
    async () => (await lab.rows('select from events where dispatched_at is null')).length === 0,
  )
}

/** Counts the deliveries of events, by status. */
export async function countDeliveries(lab: WebhookLab): Promise<Record<string, number>> {
  const rows = await lab.rows(
    'select status, count(*)::integer as count from deliveries where event_id is not null group by status',
  )
  return Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)]))
}

export const receivedReferences = (receiver: Receiver) => receiver.events().map(({ message }) => message.data.reference)
