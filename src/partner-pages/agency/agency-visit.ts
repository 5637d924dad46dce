import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { listCommissionTerms } from '../../back-office/commission/commission-statement.ts'
import { termsOn, tiersInWords } from '../../back-office/commission/commission-terms.ts'
import type { PersonPage, PersonVisit } from '../../people-pages/person-page.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { admitCalls, type CallLimits, type CallOperation, type Grant, grantOfPerson } from '../call-operation.ts'

/** One of a partner's people at the workplace. */
export interface AgencyVisit extends PersonVisit, Pick<Grant, 'partnerId' | 'now' | 'settings'> {
  realm: 'sandbox' | 'live'
  /** Calls an operation of the partner API as this person. */
  call: CallOperation
  /** Who sells to the tenants: the operator. */
  seller: string
  /** What the operator pays the partner for a tenant who signs, in words; undefined if nothing is agreed. */
  commission(): Promise<string | undefined>
}

/** A page of the workplace, on which an agency sells and helps. */
export type AgencyPage = PersonPage<AgencyVisit>

/** Completes a visit with what pages call operations with; undefined if the partner's access is over. */
export function createAgencyVisits(deployment: DeploymentDependencies, limits: CallLimits) {
  return async (visit: PersonVisit, request: FastifyRequest, reply: FastifyReply): Promise<AgencyVisit | undefined> => {
    const grant = await grantOfPerson(deployment, visit)
    if (grant === undefined) return undefined
    const { partnerId, now, settings } = grant
    const call = await admitCalls(deployment, limits, { request, reply, grant })
    const { realm, operator, databases } = deployment
    const commission = async () => {
      const all = await listCommissionTerms({ db: databases.forPartner(partnerId) }, { partnerId })
      const terms = termsOn(all, londonDate(now)) ?? all[0]
      return terms && tiersInWords(terms.tiers)
    }
    return { ...visit, partnerId, now, settings, realm, call, seller: operator.trader.name, commission }
  }
}
