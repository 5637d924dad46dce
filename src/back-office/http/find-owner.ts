import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { insertOperatorAccount } from '../../partners/partners.store.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { findPartnerOfCustomer } from '../../quoting/tenants/customers.store.ts'
import { findOwnerOfWebhook } from '../../webhooks/endpoints/webhook-directory.store.ts'
import { findOwnerOfContract, findOwnerOfPartnerId, findOwnerOfQuery, findOwnerOfQuote } from './find-owner.store.ts'

/** A partner whose rows a call of the operator's changes, and how far its sandbox clock is ahead. */
export interface RowOwner {
  partnerId: Id<'partner'>
  clockOffsetSeconds: number
}

/** The partner to which a contract belongs; undefined for an unknown number. */
export function findContractOwner({ db }: { db: Database }, contractNumber: string): Promise<RowOwner | undefined> {
  return findOwnerOfContract(db, contractNumber)
}

/** The partner to which a quote belongs; undefined for an unknown id. */
export function findQuoteOwner({ db }: { db: Database }, quoteId: string): Promise<RowOwner | undefined> {
  return findOwnerOfQuote(db, quoteId)
}

/** The partner to which a customer belongs; undefined for an unknown id. */
export async function findCustomerOwner({ db }: { db: Database }, customerId: string): Promise<RowOwner | undefined> {
  return isId('tenant', customerId) ? findPartnerOfCustomer(db, customerId) : undefined
}

/** The partner to which a webhook belongs, or the operator's own account; undefined for an unknown id. */
export function findWebhookOwner({ db }: { db: Database }, webhookId: string): Promise<RowOwner | undefined> {
  return findOwnerOfWebhook(db, webhookId)
}

/** The operator's own account, if the webhook is the operator's. */
export async function findOwnWebhookOwner(deps: { db: Database }, webhookId: string): Promise<RowOwner | undefined> {
  const owner = await findWebhookOwner(deps, webhookId)
  return owner?.partnerId === operatorAccountId ? owner : undefined
}

/** The operator's own account, which is made when it is first needed. */
export async function findOwnAccount({ db }: { db: Database }): Promise<RowOwner> {
  await insertOperatorAccount(db)
  return { partnerId: operatorAccountId, clockOffsetSeconds: 0 }
}

/** The partner that asked about a line of its commission; undefined for an unknown id. */
export function findQueryOwner({ db }: { db: Database }, queryId: string) {
  return findOwnerOfQuery(db, queryId)
}

/** The partner that a call about commission is about; undefined for an unknown id. */
export function findCommissionOwner({ db }: { db: Database }, partnerId: string) {
  return findOwnerOfPartnerId(db, partnerId)
}
