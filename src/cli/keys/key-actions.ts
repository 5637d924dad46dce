import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { composeCipher } from '../../app/compose.ts'
import { linkKeyKind } from '../../contracts/links/link-token.ts'
import { signingKeyKind } from '../../partners/signing-keys.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { hashKeyKind } from '../../platform/keys/key-ring.ts'
import { replaceKey } from '../../platform/keys/replace-key.ts'
import { type RewriteProgress, rewriteAll } from '../../platform/keys/rewrite.ts'
import { type KeyState, listReencryptions, readKeyStates } from '../../privacy/keys/reencrypt.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { createProgress, writeProgress } from '../progress.ts'
import { alignRows, formatCount } from '../table.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'

/** The kinds of key that `keys replace` replaces. */
export type ReplacedKind = 'signing' | 'links' | 'hashes' | 'encryption'

export interface ReplaceOptions extends JsonOption {
  compromised?: true
}

/** What a replacement prints: `result` as JSON, or else the text. */
interface Outcome {
  result: object
  text: string
  /** Whether a key was replaced, and not only looked for. */
  isReplaced: boolean
}

/** Between two rounds of rewriting. */
const pauseMs = 5_000

/** The command `keys status`. */
export async function printKeyStatus({ json }: JsonOption): Promise<void> {
  const keys = await withDatabase('keys status', readStates)
  if (json) printJson({ keys })
  else print(tableOf(keys))
}

/** The command `keys replace`. */
export async function replaceKeys(kind: ReplacedKind, options: ReplaceOptions): Promise<void> {
  const replace = kind === 'encryption' ? reencrypt : replaceStored
  const { result, text } = await withDatabase(`keys replace ${kind}`, async (opened) => {
    const outcome = await replace(opened, options, kind)
    if (outcome.isReplaced) logKeyReplaced(opened.log, kind, options.compromised)
    return outcome
  })
  if (options.json) printJson({ purpose: kind, ...result })
  else print(text)
}

async function replaceStored(
  { db, secrets, config }: CommandDatabase,
  { compromised }: ReplaceOptions,
  kind: ReplacedKind,
): Promise<Outcome> {
  if (kind === 'signing' && config.auth.identityProvider !== undefined)
    throw new CommandError(
      'keys_kept_outside',
      'An external identity provider signs the tokens. Replace its signing key there, then restart Housebill.',
    )
  const isCompromised = compromised === true && kind !== 'hashes'
  const lifetime = config.contracts.urlLifetimeSeconds
  const keys = kind === 'signing' ? signingKeyKind : kind === 'links' ? linkKeyKind(lifetime) : hashKeyKind
  if (!(await replaceKey({ db, cipher: await composeCipher(db, secrets) }, keys, { isCompromised })))
    throw new CommandError(
      'server_running',
      'A server is connected to this database. Stop every server, run this command again, then start them.',
    )
  const made = { signing: 'tokens', links: 'links', hashes: 'hashes', encryption: '' }[kind]
  return {
    isReplaced: true,
    result: { oldKeyEnded: isCompromised },
    text: `The key is replaced. Start the servers: they make ${made} with the new key, and ${
      isCompromised ? `reject the ${made} of earlier keys` : `accept the ${made} of earlier keys`
    }.`,
  }
}

async function reencrypt(opened: CommandDatabase, { compromised, json }: ReplaceOptions): Promise<Outcome> {
  const { databases, secrets } = opened
  const cipher = await composeCipher(databases.system, secrets)
  const progress = createProgress('rows')
  const report = (now: RewriteProgress) => (json ? writeProgress(now) : progress.update(now.done, now.done / now.total))
  const pause = () => sleep(pauseMs)
  const list = () => listReencryptions(databases, cipher)
  const { replaced, left } = await rewriteAll(list, report, pause).finally(progress.clear)
  if (left > 0)
    throw new CommandError(
      'key_still_in_use',
      'A server still encrypts with an earlier key. Restart every server with the new first key, then run "npx housebill keys replace encryption" again. It continues where it stopped.',
      { result: { replaced, left } },
    )
  const keys = await readStates(opened)
  const retired = keys.filter(({ state }) => state === 'retired').map(({ keyId }) => keyId)
  const notes =
    retired.length === 0
      ? [
          `Only ${keys[0]?.keyId} is in use. To replace it, put a new key before it: see "Encryption keys" in docs/configuration.md.`,
        ]
      : [
          `Nothing in the database needs ${retired.join(', ')} any more: remove it from where the keys are configured. Only earlier backups need it.`,
          ...(compromised === true ? afterLeak : []),
        ]
  return {
    isReplaced: retired.length > 0,
    result: { replaced, keys, notes },
    text: [`${formatCount(replaced)} values were re-encrypted.`, tableOf(keys), ...notes].join('\n\n'),
  }
}

/** What re-encryption does not undo after a leak. */
const afterLeak = [
  'Remove it now: while it is configured, values that a thief has encrypted with it are accepted.',
  'Backups and copies made before now are still encrypted with it. Whoever has the leaked key can read them, and you need it to restore them: keep it offline until the last of them is deleted.',
  'Whoever also had the database could read the keys stored in it. Replace those too: stop the servers, then "npx housebill keys replace signing --compromised", and the same for links and hashes. Ask partners to rotate their webhook secrets.',
]

function readStates({ databases, secrets }: CommandDatabase): Promise<KeyState[]> {
  return readKeyStates(
    databases,
    secrets.encryptionKeys.map(({ id }) => id),
  )
}

function tableOf(keys: readonly KeyState[]): string {
  const rows = keys.map(({ keyId, values, state }) => [keyId, formatCount(values), state])
  return alignRows([['KEY', 'VALUES', 'STATE'], ...rows], { right: [1] })
}

/**
 * Writes `key.replaced` to the security log (docs/operations.md), on standard error whatever the level of the log is,
 * except `silent`.
 * `kind` is the argument of `keys replace`.
 */
function logKeyReplaced(log: Logger, kind: string, compromised: true | undefined): void {
  if (log.level === 'silent') return
  const reason = compromised === true ? `${kind}, compromised` : kind
  log.child({ log: 'security' }, { level: 'info' }).info({ event: 'key.replaced', reason }, 'security')
}
