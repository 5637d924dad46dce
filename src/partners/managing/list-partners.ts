import type { Database } from '../../platform/db/database.ts'
import { operatorAccountId } from '../operators/operator-account.ts'
import { type ListedCredential, listCredentials, listPartners, type Partner } from '../partners.store.ts'

/** `housebill partner list`: every partner with its credentials, oldest first. Never includes a secret or its hash. */
export async function listAllPartners({
  db,
}: {
  db: Database
}): Promise<(Partner & { credentials: ListedCredential[] })[]> {
  const [partners, credentials] = await Promise.all([listPartners(db), listCredentials(db)])
  const sellers = partners.filter(({ partnerId }) => partnerId !== operatorAccountId)
  return sellers.map((partner) => ({
    ...partner,
    credentials: credentials.filter(({ partnerId }) => partnerId === partner.partnerId),
  }))
}
