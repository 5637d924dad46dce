import type { VariableReader } from './parse.ts'

/** The address suppliers that look up postcodes. src/app/upstream-systems.ts has a client for each. */
export const addressSupplierNames = ['ideal-postcodes', 'os-places'] as const
export type AddressSupplierName = (typeof addressSupplierNames)[number]

/** Says which settings of ADDRESS_SOURCE mean a supplier. */
export const withAddressSupplier = addressSupplierNames.map((name) => `ADDRESS_SOURCE=${name}`).join(' or ')

/** Where properties come from: our own tables or a supplier's API. */
export interface AddressSourceConfig {
  source: 'database' | AddressSupplierName
  /** Overrides the supplier's default base URL. */
  apiBase: string | undefined
}

export function readAddressSource(read: VariableReader): AddressSourceConfig {
  return {
    source: read.choice('ADDRESS_SOURCE', ['database', ...addressSupplierNames]),
    apiBase: read.url('ADDRESS_SOURCE_BASE'),
  }
}

/** Lists contradictions among these settings. Never quotes the key. */
export function addressSourceProblems(
  realm: 'sandbox' | 'live',
  { source }: AddressSourceConfig,
  read: VariableReader,
): string[] {
  if (source === 'database') {
    return (['ADDRESS_SOURCE_KEY', 'ADDRESS_SOURCE_BASE'] as const)
      .filter((name) => read.has(name))
      .map((name) => `${name} is only used with ${withAddressSupplier}`)
  }
  const problems: string[] = []
  const key = read.text('ADDRESS_SOURCE_KEY')
  if (key === undefined) problems.push(`ADDRESS_SOURCE=${source} needs ADDRESS_SOURCE_KEY`)
  // The key is sent in a header, within quotes.
  else if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(key)) {
    problems.push('ADDRESS_SOURCE_KEY must be at most 255 visible ASCII characters without quotes and backslashes')
  }
  if (realm === 'live' && URL.parse(read.text('ADDRESS_SOURCE_BASE') ?? '')?.protocol === 'http:') {
    problems.push('HOUSEBILL_ENV=live needs an https ADDRESS_SOURCE_BASE: the key is sent there')
  }
  return problems
}
