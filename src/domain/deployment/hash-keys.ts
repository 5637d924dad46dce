import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { HashKey } from '../../kernel/keyed-hash.ts'
import { loadDeploymentSecret, readDeploymentSecret } from './deployment-secret.ts'
import { followSchedule, type ScheduledKeyKind } from './scheduled-keys.ts'
import { upsertSetting } from './settings.store.ts'

type Cipher = Pick<FieldCipher, 'encrypt' | 'decrypt'>

const firstKey = 'hash-key'

/** Follows the keys of keyed hashes, at most two seconds old. The first one hashes; all of them are looked up. */
export function followHashKeys(deps: { db: Queryable; cipher: Cipher; clock: Clock }): () => Promise<HashKey[]> {
  return followSchedule(deps, hashKeyKind(deps.cipher), (accepted) =>
    Promise.all(accepted.map(async (name) => ({ id: hashKeyId(name), key: await readDeploymentSecret(deps, name) }))),
  )
}

/** The mark of hashes that this key made. The first key's hashes have none. */
export function hashKeyId(name: string): string {
  return name === firstKey ? '' : name.slice(firstKey.length + 1)
}

/** How hash keys are created and replaced. */
export function hashKeyKind(cipher: Cipher): ScheduledKeyKind {
  return {
    setting: 'hash-keys',
    async first(db) {
      await loadDeploymentSecret({ db, cipher }, firstKey)
      return firstKey
    },
    async create(db) {
      const name = `${firstKey}/${randomBytes(6).toString('hex')}` as const
      await loadDeploymentSecret({ db, cipher }, name)
      return name
    },
    // Stored hashes are found with the old key until all of them are replaced.
    retire: async () => undefined,
    forget: (tx, name) => upsertSetting(tx, name, ''),
  }
}
