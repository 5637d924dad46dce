import type { KeyUse } from './reencrypt.ts'

/** A key as `keys status` shows it. `retired`: nothing is encrypted with it, it may be taken away. `missing`: it is needed and not there. */
export interface KeyState extends KeyUse {
  state: 'current' | 'in use' | 'retired' | 'missing'
}

/** The keys in the order they are configured, then those that values name and nobody holds. */
export function keyStates(keyIds: readonly string[], uses: readonly KeyUse[]): KeyState[] {
  const valuesOf = (keyId: string) => uses.find((use) => use.keyId === keyId)?.values ?? 0
  const held = keyIds.map((keyId, index): KeyState => {
    const values = valuesOf(keyId)
    return { keyId, values, state: index === 0 ? 'current' : values > 0 ? 'in use' : 'retired' }
  })
  const missing = uses.filter(({ keyId }) => !keyIds.includes(keyId))
  return [...held, ...missing.map((use): KeyState => ({ ...use, state: 'missing' }))]
}
