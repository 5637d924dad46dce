import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { composeCipher } from '../../app/compose.ts'
import { linkKeyKind } from '../../contracts/links/link-token.ts'
import { signingKeyKind } from '../../partners/signing-keys.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { hashKeyKind } from '../../platform/keys/hash-keys.ts'
import { readKeyAge, replaceKey } from '../../platform/keys/replace-key.ts'
import { type RewriteProgress, type Rewriting, rewriteAll } from '../../platform/keys/rewrite.ts'
import { endHashKeys } from '../../privacy/keys/end-hash-keys.ts'
import { type KeyState, listReencryptions, readKeyStates } from '../../privacy/keys/reencrypt.ts'
import { listRehashes } from '../../privacy/keys/rehash.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
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
  const replace = { signing: replaceAtOnce, links: replaceAtOnce, hashes: replaceHashKey, encryption: reencrypt }[kind]
  const { result, text } = await withDatabase(`keys replace ${kind}`, async (opened) => {
    const outcome = await replace(opened, options, kind)
    if (outcome.isReplaced) logKeyReplaced(opened.log, kind, options.compromised)
    return outcome
  })
  if (options.json) printJson({ purpose: kind, ...result })
  else print(text)
}

async function replaceAtOnce(
  { db, secrets, config }: CommandDatabase,
  { compromised }: ReplaceOptions,
  kind: ReplacedKind,
): Promise<Outcome> {
  if (kind === 'signing' && config.auth.identityProvider !== undefined)
    throw new CommandError(
      'keys_kept_outside',
      'An external identity provider signs the tokens. Replace its signing key there, then restart Housebill.',
    )
  const isCompromised = compromised === true
  const keys = kind === 'signing' ? signingKeyKind : linkKeyKind(config.contracts.urlLifetimeSeconds)
  await replaceKey({ db, cipher: await composeCipher(db, secrets) }, keys, { isCompromised })
  const signed = kind === 'signing' ? 'tokens' : 'contract and preview links'
  return {
    isReplaced: true,
    result: { oldKeyEnded: isCompromised },
    text: isCompromised
      ? `The key is replaced. Within two seconds, every server rejects the ${signed} made with earlier keys. Clients and partners must request new ones.`
      : `The key is replaced. Existing ${signed} work until they expire.`,
  }
}

async function replaceHashKey(
  { databases, secrets }: CommandDatabase,
  { compromised, json }: ReplaceOptions,
): Promise<Outcome> {
  const db = databases.system
  const isCompromised = compromised === true
  const cipher = await composeCipher(db, secrets)
  const { keyId, resumed } = await replaceKey({ db, cipher }, hashKeyKind, { isCompromised })
  if (json) writeProgress(resumed ? 'resumed' : 'made')
  // Nothing may be hashed with the new key before every server looks it up.
  const { settleSeconds } = hashKeyKind
  const untilAge = async (seconds: number) => {
    while ((await readKeyAge({ db }, hashKeyKind, keyId)) < seconds) await sleep(250)
  }
  await untilAge(settleSeconds)
  const current = { databases, cipher: await composeCipher(db, secrets) }
  const replaced = await rewrite(() => listRehashes(current, keyId), json, {
    stillUsed: 'A server still hashes with an earlier key',
    remedy: 'Stop servers of an older version, then run "npx housebill keys replace hashes" again.',
    // A call that began before it may still store a hash of an earlier key.
    pause: async () => {
      await sleep(pauseMs)
      await untilAge(2 * settleSeconds)
    },
  })
  const ended = await endHashKeys({ databases }, keyId, { isCompromised })
  const done = `The key is replaced, and ${formatCount(replaced)} rows are hashed with the new one.`
  return {
    isReplaced: true,
    result: { replaced, resumed, oldKeyEnded: ended },
    text: `${done} ${
      isCompromised
        ? 'The old key is deleted. A request that is repeated with its Idempotency-Key from before is rejected.'
        : ended
          ? 'The old key is deleted.'
          : 'The old key still recognises requests that are repeated with their Idempotency-Key, or addresses that refused e-mails and that no customer has any more. Run this command again in seven days: it deletes the key once nothing needs it.'
    }`,
  }
}

async function reencrypt(opened: CommandDatabase, { compromised, json }: ReplaceOptions): Promise<Outcome> {
  const { databases, secrets } = opened
  const cipher = await composeCipher(databases.system, secrets)
  const replaced = await rewrite(() => listReencryptions(databases, cipher), json, {
    stillUsed: 'A server still encrypts with an earlier key',
    remedy:
      'Restart every server with the new first key, then run "npx housebill keys replace encryption" again. It continues where it stopped.',
    pause: () => sleep(pauseMs),
  })
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
  'Whoever also had the database could read the keys stored in it. Replace those too: "npx housebill keys replace signing --compromised", then the same for links and hashes. Ask partners to rotate their webhook secrets.',
]

/** Rewrites everything and returns how much it was. Throws if a server goes on using an earlier key. */
async function rewrite(
  list: () => Promise<readonly Rewriting[]>,
  json: true | undefined,
  { stillUsed, remedy, pause }: { stillUsed: string; remedy: string; pause: () => Promise<void> },
): Promise<number> {
  const progress = createProgress('rows')
  const report = (now: RewriteProgress) => (json ? writeProgress(now) : progress.update(now.done, now.done / now.total))
  const { replaced, left } = await rewriteAll(list, report, pause).finally(progress.clear)
  if (left > 0) throw new CommandError('key_still_in_use', `${stillUsed}. ${remedy}`, { result: { replaced, left } })
  return replaced
}

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
