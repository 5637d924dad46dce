import { setTimeout as sleep } from 'node:timers/promises'
import { composeCipher } from '../../compose/compose.ts'
import { signingKeyKind } from '../../domain/auth/signing-keys.ts'
import { linkKeyKind } from '../../domain/contracts/links/link-keys.ts'
import { promotableAt } from '../../domain/deployment/key-schedule.ts'
import { announceKey, promoteKey } from '../../domain/deployment/replace-key.ts'
import type { ScheduledKeyKind } from '../../domain/deployment/scheduled-keys.ts'
import { systemClock } from '../../kernel/clock.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { longestTokenSeconds } from '../../kernel/token-lifetime.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { writeProgress } from '../progress.ts'
import { formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { logKeyReplaced } from './log-key-replaced.ts'

export interface ReplaceOptions extends JsonOption {
  compromised?: true
}

/** The kinds of key that sign something that expires. */
export type SigningPurpose = 'signing' | 'links'

/** Servers notice a replacement within two seconds, and their clocks may differ: they may sign with the old key for this long. */
const marginSeconds = 60

/** The commands `keys replace signing` and `keys replace links`. */
export async function replaceSigningKey(purpose: SigningPurpose, { compromised, json }: ReplaceOptions): Promise<void> {
  const isCompromised = compromised === true
  const replaced = await withDatabase(`keys replace ${purpose}`, async ({ databases, secrets, config, log }) => {
    if (purpose === 'signing' && config.auth.identityProvider !== undefined) {
      throw new CommandError(
        'keys_kept_outside',
        'An external identity provider signs the tokens. Replace its signing key there, then restart Housebill.',
      )
    }
    const deps = { db: databases.system, clock: systemClock }
    const cipher = await composeCipher(deps.db, secrets)
    const kind: ScheduledKeyKind = { signing: signingKeyKind, links: linkKeyKind }[purpose](cipher)
    const lifetime = { signing: longestTokenSeconds, links: config.contracts.urlLifetimeSeconds }[purpose]
    const announced = await announceKey(deps, kind, { isCompromised })
    if (json) writeProgress('announced')
    else console.error('A new key is announced. It comes into use in five seconds, once every server knows it.')
    const due = promotableAt(announced)?.getTime() ?? 0
    await sleep(Math.max(0, due - Date.now()))
    const { previous } = await promoteKey(deps, kind, isCompromised ? 0 : lifetime + marginSeconds)
    logKeyReplaced(log, purpose, compromised)
    return { purpose, oldKeyVerifiesUntil: previous[0]?.until ?? null }
  })
  if (json) printJson(replaced)
  else console.log(describe(purpose, replaced.oldKeyVerifiesUntil))
}

function describe(purpose: SigningPurpose, until: string | null): string {
  const signed = { signing: 'tokens', links: 'contract and preview links' }[purpose]
  return until === null
    ? `The key is replaced. Within two seconds, every server rejects the ${signed} made with earlier keys. Clients and partners must request new ones.`
    : `The key is replaced. Existing ${signed} work until they expire; the old key verifies until ${formatInstant(new Date(until))}.`
}
