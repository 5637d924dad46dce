import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import type { ProductsResponse } from '../../../broadband/home-telecom.http.ts'
import { addDays, type IsoDate, isIsoDate, laterOf } from '../../../platform/kernel/dates.ts'
import { addWorkingDays, type BankHolidays, isWorkingDay } from '../../../platform/kernel/working-days.ts'
import {
  createSampleSpecialCaseFinder,
  deriveStableByte,
  type FindSpecialCase,
  networkSpeedMbps,
} from '../simulated-network.ts'
import {
  createSimulatorServer,
  defaultSlowMilliseconds,
  pause,
  propertyQuery,
  sendOutageResponse,
  sendProblem,
  simulateRequestedFault,
} from '../simulator-server.ts'

type Product = Static<typeof ProductsResponse>['products'][number]

const lines: readonly Product[] = [
  line('fibre-67', 'Home Broadband 67', { download: 67, upload: 18, normal: 62, minimum: 48 }, 2_600, 1_000),
  line('fibre-150', 'Home Broadband 150', { download: 150, upload: 30, normal: 145, minimum: 75 }, 2_900, 1_000),
  line('fibre-500', 'Home Broadband 500', { download: 500, upload: 70, normal: 480, minimum: 250 }, 3_500, 1_000),
  line('fibre-900', 'Home Broadband 900', { download: 900, upload: 110, normal: 850, minimum: 450 }, 4_300, 0),
]

const addons: readonly Product[] = [
  addon('wifi-whole-home', 'Whole Home Wi-Fi', 700, 2_500),
  addon('static-ip', 'Static IP Address', 500, 0),
]

/**
 * The products that the invented provider sells at a property with broadband: the lines that the network supports, and
 * all add-ons.
 */
function productsAt(uprn: string): Product[] {
  const speed = networkSpeedMbps(uprn)
  return [...lines.filter((product) => product.downloadMbps <= speed), ...addons]
}

function line(
  productId: string,
  name: string,
  { download, upload, normal, minimum }: { download: number; upload: number; normal: number; minimum: number },
  monthlyPricePence: number,
  setupPricePence: number,
): Product {
  const speeds = { uploadMbps: upload, normalDownloadMbps: normal, minimumDownloadMbps: minimum }
  return { productId, name, kind: 'line', downloadMbps: download, ...speeds, monthlyPricePence, setupPricePence }
}

function addon(productId: string, name: string, monthlyPricePence: number, setupPricePence: number): Product {
  return { productId, name, kind: 'addon', downloadMbps: 0, monthlyPricePence, setupPricePence }
}

interface DiaryQuery {
  uprn: string
  orderDate: IsoDate
  from: IsoDate
}

const noticeWorkingDays = 10
const maxDays = 20

/**
 * The days on which the invented engineers are free: working days in every nation, at least ten working days after the
 * order. About a quarter of these days are already booked and are left out. One property in eight has no free days, to
 * show what happens then.
 * @internal Tests expect its days.
 */
export function installDates({ uprn, orderDate, from }: DiaryQuery, holidays: BankHolidays): IsoDate[] {
  if (deriveStableByte(uprn, 'diary') < 32) return []
  const free: IsoDate[] = []
  let day = laterOf(from, addWorkingDays(orderDate, noticeWorkingDays, 'england-and-wales', holidays))
  while (free.length < maxDays) {
    if (isWorkedEverywhere(day, holidays) && deriveStableByte(uprn, day) >= 64) free.push(day)
    day = addDays(day, 1)
  }
  return free
}

function isWorkedEverywhere(day: IsoDate, holidays: BankHolidays): boolean {
  return isWorkingDay(day, 'england-and-wales', holidays) && isWorkingDay(day, 'scotland', holidays)
}

const ProductsQuery = Type.Object(propertyQuery)
const InstallDatesQuery = Type.Object({
  ...propertyQuery,
  productId: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 10 }),
  orderDate: Type.String(),
  from: Type.String(),
})

interface HomeTelecomSimulatorOptions {
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
