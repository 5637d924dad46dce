import type { Database } from '../platform/db/database.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { listEveryWebhook } from '../webhooks/endpoints/list-webhooks.ts'
import type { WebhookOfPartner } from '../webhooks/endpoints/webhook-directory.store.ts'
import { replayWebhook } from '../webhooks/replay/replay-webhook.ts'
import { type JsonOption, print, printJson } from './print.ts'
import { alignRows, formatCount, formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface ListWebhooksOptions extends JsonOption {
  partner?: string
}

export async function printWebhooks({ partner, json }: ListWebhooksOptions): Promise<void> {
  const webhooks = await withDatabase('webhooks list', ({ db }) => listEveryWebhook({ db }, { partnerId: partner }))
  if (json) {
    printJson({ webhooks })
    return
  }
  if (webhooks.length === 0) {
    print(partner === undefined ? 'There are no webhooks yet.' : `${partner} has no webhooks.`)
    return
  }
  const rows = webhooks.map((webhook) => [
    webhook.partnerName,
    webhook.webhookId,
    statusInWords(webhook),
    webhook.verification,
    replayInWords(webhook),
    webhook.url,
  ])
  print(alignRows([['PARTNER', 'WEBHOOK ID', 'STATUS', 'VERIFICATION', 'LATEST REPLAY', 'URL'], ...rows]))
}

/** The status, including when the webhook was disabled or began to fail. */
function statusInWords({ status, disabledAt, failingSince }: WebhookOfPartner): string {
  if (disabledAt !== null) return `${status} since ${formatInstant(disabledAt)}`
  return failingSince === null ? status : `${status}, failing since ${formatInstant(failingSince)}`
}

function replayInWords({ latestReplay }: WebhookOfPartner): string {
  if (latestReplay === null) return 'none'
  const { status, redelivered, missed } = latestReplay
  return `${status}, ${formatCount(redelivered + missed)} queued`
}

export interface ReplayOptions extends JsonOption {
  webhook?: string
  partner?: string
  since?: Date
  until?: Date
}

/** `webhooks replay`: starts a replay for one webhook, or for all active webhooks of a partner. */
export async function replayWebhooks({ webhook, partner, since, until, json }: ReplayOptions): Promise<void> {
  const { replays, disabled } = await withDatabase('webhooks replay', async ({ db, databases }) => {
    const found = await findWebhooks(db, { webhook, partner })
    // Try a webhook given by its id even if it is disabled, because the error says what to do.
    const tried = webhook === undefined ? found.filter(({ status }) => status === 'active') : found
    const replays = []
    for (const { webhookId, partnerId } of tried) {
      const own = { db: databases.forPartner(partnerId) }
      const { replayId, status, ...range } = await replayWebhook(own, { partnerId }, webhookId, { since, until })
      replays.push({ replayId, webhookId, partnerId, status, since: range.since, until: range.until })
    }
    return { replays, disabled: found.filter((each) => !tried.includes(each)).map(({ webhookId }) => webhookId) }
  })
  if (json) {
    printJson({ replays, disabled })
    return
  }
  for (const { replayId, webhookId, ...range } of replays)
    print(
      `${webhookId}: ${replayId} replays events from ${formatInstant(range.since)} to ${formatInstant(range.until)}.`,
    )
  for (const webhookId of disabled) print(`${webhookId} is disabled and was skipped.`)
  if (replays.length > 0) print('The running servers send them. "npx housebill webhooks list" shows the progress.')
}

async function findWebhooks(
  db: Database,
  { webhook, partner }: { webhook: string | undefined; partner: string | undefined },
): Promise<WebhookOfPartner[]> {
  const found = await listEveryWebhook({ db }, { webhookId: webhook, partnerId: partner })
  if (found.length > 0) return found
  const what = webhook === undefined ? `${partner} has no webhooks.` : `No webhook has the id ${webhook}.`
  throw new CommandError('not_found', `${what} "npx housebill webhooks list" lists them all.`)
}
