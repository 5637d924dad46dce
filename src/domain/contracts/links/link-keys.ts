import { randomBytes } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { loadDeploymentSecret, readDeploymentSecret } from '../../deployment/deployment-secret.ts'
import { followSchedule, type ScheduledKeyKind } from '../../deployment/scheduled-keys.ts'
import { upsertSetting } from '../../deployment/settings.store.ts'

/** The keys that verify links now, at most two seconds old. The first one signs. */
export type LinkKeys = () => Promise<readonly Buffer[]>

const firstKey = 'contract-link-key'

/** Follows the keys of contract and preview links. */
export function followLinkKeys(deps: { db: Database; cipher: FieldCipher; clock: Clock }): LinkKeys {
  return followSchedule(deps, linkKeyKind(deps.cipher), (accepted) =>
    Promise.all(accepted.map((name) => readDeploymentSecret(deps, name))),
  )
}

/** How link keys are created and replaced. */
export function linkKeyKind(cipher: FieldCipher): ScheduledKeyKind {
  return {
    setting: 'contract-link-keys',
    async first(tx) {
      await loadDeploymentSecret({ db: tx, cipher }, firstKey)
      return firstKey
    },
    async create(tx) {
      const name = `${firstKey}/${randomBytes(6).toString('hex')}` as const
      await loadDeploymentSecret({ db: tx, cipher }, name)
      return name
    },
    // The same key signs and verifies, so it is needed until the last link has expired.
    retire: async () => undefined,
    forget: (tx, name) => upsertSetting(tx, name, ''),
  }
}
