import type { Route } from '../platform/http/route.ts'

/**
 * What the responses of an operation show of the customer in its path; undefined if nothing, or if the operation writes
 * its own audit entry for it, as the export does. Based on the path, so that no operation can be forgotten.
 */
export function auditedReadOf({ path, scope }: Pick<Route, 'path' | 'scope'>): 'customer' | 'contract' | undefined {
  if (!path.startsWith('/Customers/{id}') || scope === 'customers:export') return undefined
  return /^\/Customers\/\{id\}\/(?:contracts|pci-)/.test(path) ? 'contract' : 'customer'
}
