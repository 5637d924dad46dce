import { isoDate } from '../../platform/kernel/dates.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { addCommissionTerms } from './add-terms.ts'
import {
  AddTermsRequest,
  CommissionTermsList,
  CommissionTermsObject,
  presentTerms,
  tiersOf,
} from './commission.schema.ts'
import { findCommissionOwner, listCommissionTerms } from './commission-statement.ts'

const common = {
  tag: 'Partners',
  path: '/Partners/{partnerId}/commission-terms',
  idDescription: 'The id of the partner',
} as const

export const listCommissionTermsRoute = partnerRoute({
  ...common,
  operationId: 'listCommissionTerms',
  summary: "List a partner's commission terms",
  description: 'Returns all terms by their first day, also those that later ones with the same first day replaced.',
  scope: 'partners:read',
  reply: CommissionTermsList,
  owner: (deps, parameter) => findCommissionOwner(deps, parameter('partnerId')),
  handle: listCommissionTerms,
  present: (terms) => ({ data: terms.map(presentTerms) }),
})

export const addCommissionTermsRoute = partnerRoute({
  method: 'POST',
  ...common,
  operationId: 'addCommissionTerms',
  summary: "Add to a partner's commission terms",
  description:
    'Terms never change. Those with a later first day apply from that day on, and those with the same first day replace each other. Terms that could change a contract that has earned, or a closed month, are rejected.',
  scope: 'partners:write',
  body: AddTermsRequest,
  reply: CommissionTermsObject,
  errors: ['validation_failed', 'commission_terms_not_allowed'],
  owner: (deps, parameter) => findCommissionOwner(deps, parameter('partnerId')),
  handle: (deps, caller, { body }) =>
    addCommissionTerms(deps, caller, { firstDay: isoDate(body.firstDay), tiers: tiersOf(body) }),
  present: presentTerms,
})
