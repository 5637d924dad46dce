import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import { isIsoDate } from '../../../platform/kernel/dates.ts'
import type { BankHolidays } from '../../../platform/kernel/working-days.ts'
import { simulateRequestedFault } from '../requested-fault.ts'
import { createSampleSpecialCaseFinder, type FindSpecialCase } from '../simulated-network.ts'
import {
  createSimulatorServer,
  defaultSlowMilliseconds,
  pause,
  propertyQuery,
  sendOutageResponse,
  sendProblem,
} from '../simulator-server.ts'
import { installDates } from './install-diary.ts'
import { productsAt } from './products.ts'

const ProductsQuery = Type.Object(propertyQuery)
const InstallDatesQuery = Type.Object({
  ...propertyQuery,
  productId: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 10 }),
  orderDate: Type.String(),
  from: Type.String(),
})

export interface HomeTelecomSimulatorOptions {
  bankHolidays: BankHolidays
  specialCaseOf?: FindSpecialCase
  slowMilliseconds?: number
}

/**
 * A simulated home telecom provider. It covers every property and follows `docs/upstreams/home-telecom.openapi.yaml`.
 * For the sandbox's special properties it is down, slow or offers no broadband. A request header can ask for these and
 * other faults.
 */
export function buildHomeTelecomSimulator(options: HomeTelecomSimulatorOptions): FastifyInstance {
  const {
    bankHolidays,
    specialCaseOf = createSampleSpecialCaseFinder(),
    slowMilliseconds = defaultSlowMilliseconds,
  } = options
  const server = createSimulatorServer()

  server.get<{ Querystring: Static<typeof ProductsQuery> }>(
    '/v1/products',
    { schema: { querystring: ProductsQuery } },
    async (request, reply) => {
      const { query } = request
      const fault = await simulateRequestedFault(request, reply)
      if (fault === 'responded') return reply
      if (fault === 'nothing-sold') return { products: [] }
      switch (specialCaseOf(query.uprn)) {
        case 'home-telecom-down':
        case 'both-down':
          return sendOutageResponse(reply)
        case 'no-broadband':
          return { products: [] }
        case 'slow-upstreams':
          await pause(slowMilliseconds)
          break
      }
      return { products: productsAt(query.uprn) }
    },
  )

  server.get<{ Querystring: Static<typeof InstallDatesQuery> }>(
    '/v1/install-dates',
    { schema: { querystring: InstallDatesQuery } },
    async (request, reply) => {
      const { query } = request
      const { uprn, orderDate, from, productId } = query
      if (!isIsoDate(orderDate) || !isIsoDate(from)) return sendProblem(reply, 400, 'orderDate and from must be dates.')
      const fault = await simulateRequestedFault(request, reply)
      if (fault === 'responded') return reply
      if (fault === 'nothing-sold') return sendNotSold(reply)
      switch (specialCaseOf(uprn)) {
        case 'home-telecom-down':
        case 'both-down':
          return sendOutageResponse(reply)
        case 'no-broadband':
          return sendNotSold(reply)
        case 'slow-upstreams':
          await pause(slowMilliseconds)
          break
      }
      const sold = new Set(productsAt(uprn).map((product) => product.productId))
      if (!productId.every((id) => sold.has(id))) return sendNotSold(reply)
      return { dates: installDates({ uprn, orderDate, from }, bankHolidays) }
    },
  )

  return server
}

function sendNotSold(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 422, 'A product is not available at this address.')
}
