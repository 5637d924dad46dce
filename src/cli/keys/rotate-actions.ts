import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { composeCipher } from '../../compose/compose.ts'
import { addKeyToFile, readOrCreateKeyFile } from '../../config/key-file.ts'
import { countKeyUse, type ReencryptionProgress, reencrypt } from '../../domain/deployment/reencrypt.ts'
import { type KeyState, keyStates } from '../../domain/deployment/rotation.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { createProgress, writeProgress } from '../progress.ts'
import { alignRows, formatCount } from '../table.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'
import { logKeyReplaced } from './log-key-replaced.ts'
import type { ReplaceOptions } from './replace-actions.ts'

/** The command `keys status`. */
export async function printKeyStatus({ json }: JsonOption): Promise<void> {
  const keys = await withDatabase('keys status', readStates)
  if (json) printJson({ keys })
  else printStates(keys)
}

/** `keys rotate` and `keys replace encryption`: finishes a rotation in progress, or starts one. */
export async function rotateKeys({ json, compromised }: ReplaceOptions): Promise<void> {
  const outcome = await withDatabase('keys rotate', async (opened) => {
    const hasBegun = (await readStates(opened)).some(isLeft)
    const { keyFile } = opened.secrets
    if (!hasBegun && keyFile === undefined) return { newKey: newKey() }
    if (!hasBegun && keyFile !== undefined) await addKeyToFile(keyFile)
    const replaced = await reencryptAll(opened, json)
    const keys = await readStates(opened)
    if (!keys.some(isLeft)) logKeyReplaced(opened.log, 'encryption', compromised)
    return { replaced, resumed: hasBegun, keys }
  })
  if (outcome.newKey !== undefined) {
    printNewKey(outcome.newKey, json)
    return
  }
  const { keys, replaced, resumed } = outcome
  const left = keys.filter(isLeft)
  if (left.length > 0) {
    const ids = left.map(({ keyId }) => keyId).join(', ')
    throw new CommandError(
      'key_still_in_use',
      `A server still encrypts with ${ids}. Restart every server with the new first key, then run "npx housebill keys rotate" again.`,
      { result: { replaced, resumed, keys } },
    )
  }
  const notes = compromised === true ? leakNotes(keys) : []
  if (json) printJson({ replaced, resumed, keys, ...(notes.length > 0 ? { notes } : {}) })
  else {
    console.log(`${formatCount(replaced)} values were re-encrypted.`)
    printStates(keys)
    console.log(notes.map((note) => `\n${note}`).join(''))
  }
}

/** What re-encryption does not undo after a leak. */
function leakNotes(keys: readonly KeyState[]): string[] {
  const retired = keys.filter(({ state }) => state === 'retired').map(({ keyId }) => keyId)
  return [
    `Everything is encrypted with ${keys[0]?.keyId} now. If that key may have leaked too, run this command again.`,
    `Nothing in the database needs ${retired.join(', ')} any more: remove it now from where the keys are configured. If it is still configured, values encrypted by a thief are accepted.`,
    'Backups and copies made before now are still encrypted with it. Whoever has the leaked key can read them, and you need it to restore them: keep it offline until the last of them is deleted.',
    'Whoever also had the database could read the keys stored in it. Replace those too: "npx housebill keys replace signing --compromised", then the same for links and hashes. Ask partners to rotate their webhook secrets.',
  ]
}

function isLeft({ state }: KeyState): boolean {
  return state === 'in use' || state === 'missing'
}

async function readStates({ databases, secrets }: CommandDatabase): Promise<KeyState[]> {
  const keys = secrets.keyFile === undefined ? secrets.encryptionKeys : await readOrCreateKeyFile(secrets.keyFile)
  return keyStates(
    keys.map(({ id }) => id),
    await countKeyUse({ databases }),
  )
}

/** A pause long enough for every server to notice a new first key and finish its current requests. */
const settleMs = 1_500
const maxRounds = 5

/** Re-encrypts in rounds until a round finds nothing, because a server may still have encrypted with the old key during the first round. */
async function reencryptAll({ databases, secrets }: CommandDatabase, json: true | undefined): Promise<number> {
  // Wait until the servers have noticed a key that was just added to the file.
  if (secrets.keyFile !== undefined) await sleep(settleMs)
  const cipher = await composeCipher(databases.system, secrets)
  let replaced = 0
  for (let round = 0; round < maxRounds; round += 1) {
    const progress = createProgress('values')
    const report = ({ done, total, column }: ReencryptionProgress) =>
      json ? writeProgress({ done, total, column }) : progress.update(done, Math.min(1, done / total))
    const inRound = await reencrypt({ databases, cipher }, report).finally(progress.clear)
    replaced += inRound
    if (round > 0 && inRound === 0) break
    await sleep(settleMs)
  }
  return replaced
}

function newKey(): string {
  return `key-${new Date().toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}:${randomBytes(32).toString('base64')}`
}

const rollOut = [
  'Add it at the end of ENCRYPTION_KEYS, after a comma, and restart every server. All servers can then decrypt with it.',
  'Move it to the front of ENCRYPTION_KEYS and restart every server. All servers then encrypt with it.',
  'Run "npx housebill keys rotate" with the same ENCRYPTION_KEYS. It re-encrypts everything that uses older keys.',
  'When "npx housebill keys status" shows the old key as retired, remove it from ENCRYPTION_KEYS, but keep it with your older backups, which still need it.',
] as const

function printNewKey(key: string, json: true | undefined): void {
  if (json) {
    printJson({ newKey: key, steps: rollOut })
    return
  }
  console.log(key)
  const steps = rollOut.map((step, index) => `${index + 1}. ${step}`)
  console.error(['', 'This is a new key. It is shown only once and is not stored.', ...steps].join('\n'))
}

function printStates(keys: readonly KeyState[]): void {
  const rows = keys.map(({ keyId, values, state }) => [keyId, formatCount(values), state])
  console.log(alignRows([['KEY', 'VALUES', 'STATE'], ...rows], { right: [1] }))
}
