import type { KeyUse } from './reencrypt.ts'

/**
 * A key as `keys status` shows it. A `retired` key encrypts no values, so it can be removed. A `missing` key encrypts values but
 * is not configured.
 */
export interface KeyState extends KeyUse {
  state: 'current' | 'in use' | 'retired' | 'missing'
}

/** The states of the configured keys, in their configured order, followed by those of the missing keys. */
export function keyStates(keyIds: readonly string[], uses: readonly KeyUse[]): KeyState[] {
  const valuesOf = (keyId: string) => uses.find((use) => use.keyId === keyId)?.values ?? 0
  const configured = keyIds.map((keyId, index): KeyState => {
    const values = valuesOf(keyId)
    return { keyId, values, state: index === 0 ? 'current' : values > 0 ? 'in use' : 'retired' }
  })
  const missing = uses.filter(({ keyId }) => !keyIds.includes(keyId))
  return [...configured, ...missing.map((use): KeyState => ({ ...use, state: 'missing' }))]
}
