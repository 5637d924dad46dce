import { randomBytes } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { findSetting, insertSetting } from './settings.store.ts'

/** Secrets every process of a deployment shares and no rotation of ENCRYPTION_KEYS changes. */
export type DeploymentSecretName =
  | 'hash-key'
  | 'contract-link-key'
  | 'simulated-processor-key'
  | 'simulated-processor-webhook-secret'

/** The secret's 32 bytes, made at first start. Of several processes starting at once, one makes it and all read the same. */
export async function loadDeploymentSecret(
  { db, cipher }: { db: Database; cipher: Pick<FieldCipher, 'encrypt' | 'decrypt'> },
  name: DeploymentSecretName,
): Promise<Buffer> {
  const place = { column: 'deployment_settings.value', row: name }
  const known = await findSetting(db, name)
  if (known !== undefined) return cipher.decrypt(known, place)
  await insertSetting(db, name, cipher.encrypt(randomBytes(32), place))
  const stored = await findSetting(db, name)
  if (stored === undefined) throw new Error(`the deployment secret ${name} could not be stored`)
  return cipher.decrypt(stored, place)
}
