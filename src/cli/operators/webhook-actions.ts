import { composeCipher, composeUrlChecks } from '../../app/compose.ts'
import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { DomainError, notFound } from '../../platform/kernel/errors.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { addOperatorWebhook } from '../../webhooks/endpoints/add-operator-webhook.ts'
import { deleteWebhook } from '../../webhooks/endpoints/delete-webhook.ts'
import { updateWebhook } from '../../webhooks/endpoints/update-webhook.ts'
import { rotateSecret } from '../../webhooks/secrets/rotate-secret.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'

/** `operator webhook add`: prints the webhook and its secret as JSON, with or without `--json`. */
export async function runAddWebhook(url: string): Promise<void> {
  const { webhook, secret } = await onDatabase('add', ({ deps }) => addOperatorWebhook(deps, url))
  printJson({ webhookId: webhook.webhookId, url, verification: webhook.verification, secret })
}

/** `operator webhook enable`. */
export async function runEnableWebhook(webhookId: string, { json }: JsonOption): Promise<void> {
  const { status, verification } = await onDatabase('enable', ({ deps, caller }) =>
    updateWebhook(deps, caller, known(webhookId), { status: 'active' }),
  )
  if (json) printJson({ webhookId, status, verification })
  else print(`${webhookId} is ${status}; its verification is ${verification}.`)
}

/** `operator webhook rotate`: prints the secret as JSON, with or without `--json`. */
export async function runRotateWebhook(webhookId: string): Promise<void> {
  const { secret, previousSecretValidUntil } = await onDatabase('rotate', ({ deps, caller }) =>
    rotateSecret(deps, caller, known(webhookId)),
  )
  printJson({ webhookId, secret, previousSecretValidUntil })
}

/** `operator webhook remove`. */
export async function runRemoveWebhook(webhookId: string, { json }: JsonOption): Promise<void> {
  await onDatabase('remove', ({ deps, caller }) => deleteWebhook(deps, caller, known(webhookId)))
  if (json) printJson({ webhookId, removed: true })
  else print(`Nothing more is sent to ${webhookId}.`)
}

/** Runs work on the operator's account, as the operations on partners' webhooks expect it. */
async function onDatabase<Result>(
  name: string,
  work: (given: Awaited<ReturnType<typeof prepare>>) => Promise<Result>,
): Promise<Result> {
  const operation = `operator webhook ${name}`
  try {
    return await withDatabase(operation, async (opened) => work(await prepare(opened, operation)))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const hint = error.code === 'not_found' ? ' "npx housebill webhooks list" lists them all.' : ''
    throw new CommandError(error.code, `${error.message}${hint}`)
  }
}

async function prepare({ db, databases, secrets, config, operatorName }: CommandDatabase, operation: string) {
  const origin = { actor: 'operator', credential: operatorName, operation } as const
  const own = { db: databases.forPartner(operatorAccountId, origin), system: db }
  const common = { cipher: await composeCipher(db, secrets), clock: systemClock }
  return {
    deps: { ...own, ...common, ...composeUrlChecks(config, systemClock) },
    caller: { partnerId: operatorAccountId, clientId: operatorName, requestId: operation, now: systemClock.now() },
  }
}

function known(webhookId: string): Id<'webhook'> {
  if (!isId('webhook', webhookId)) throw notFound('webhook')
  return webhookId
}
