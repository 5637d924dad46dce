import { randomBytes } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { findSetting, insertSetting } from './key-ring.store.ts'

/** Secrets that all processes of a deployment share, stored encrypted in its settings. */
export const deploymentSecretNames = ['simulated-processor-key', 'simulated-processor-webhook-secret'] as const
type DeploymentSecretName = (typeof deploymentSecretNames)[number]

/**
 * The 32 bytes of a deployment secret, created at first start. Rotating ENCRYPTION_KEYS does not change them. If
 * several processes start at the same time, one of them creates the secret and all of them use it.
 */
export async function loadDeploymentSecret(
  { db, cipher }: { db: Queryable; cipher: Pick<FieldCipher, 'encrypt' | 'decrypt'> },
  name: DeploymentSecretName,
): Promise<Buffer> {
  const location = { column: 'deployment_settings.value', row: name }
  const known = await findSetting(db, name)
  if (known !== undefined) return cipher.decrypt(known, location)
  await insertSetting(db, name, cipher.encrypt(randomBytes(32), location))
  const stored = await findSetting(db, name)
  if (stored === undefined) throw new Error(`the deployment secret ${name} could not be stored`)
  return cipher.decrypt(stored, location)
}
