import type { FastifyInstance } from 'fastify'
import { type FormFields, nestedFields, optionalText, parseFormBody, rejectUnknown } from '../protocol/parameters.ts'
import type { SimulatorParts } from '../protocol/post-call.ts'
import { invalidRequest, noSuchObject, secretKeyRequired } from '../protocol/stripe-fault.ts'
import { type EventQuery, findEventPosition, listEvents } from '../steering.store.ts'

/**
 * The processor's list of events, newest first. It covers all partners, so it also works while the processor is down
 * for one of them.
 */
export function registerEventRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.get('/v1/events', async (request) => {
    if (parts.credentials.authenticate(request.headers.authorization) !== 'secret') throw secretKeyRequired()
    const [, query = ''] = request.url.split('?', 2)
    const eventQuery = await readQuery(parts, parseFormBody(query))
    const found = await listEvents(parts.db, { ...eventQuery, limit: eventQuery.limit + 1 })
    return {
      object: 'list',
      url: '/v1/events',
      has_more: found.length > eventQuery.limit,
      data: found.slice(0, eventQuery.limit),
    }
  })
}

/** The parameters that Housebill sends. */
async function readQuery(parts: SimulatorParts, fields: FormFields): Promise<EventQuery> {
  rejectUnknown(fields, ['created', 'limit', 'starting_after', 'types'])
  const types = nestedFields(fields, 'types')
  const created = nestedFields(fields, 'created')
  rejectUnknown(created, ['gte', 'lt'], 'created')
  const second = (name: string) => {
    const text = optionalText(created, name)
    return text === undefined ? undefined : wholeNumber(`created[${name}]`, text, 0, 99_999_999_999)
  }
  const names = Object.keys(types).map((index) => optionalText(types, index) ?? '')
  return {
    types: names.length > 0 ? names : undefined,
    from: second('gte'),
    until: second('lt'),
    startingAfter: await positionOf(parts, optionalText(fields, 'starting_after')),
    limit: wholeNumber('limit', optionalText(fields, 'limit') ?? '10', 1, 100),
  }
}

async function positionOf(parts: SimulatorParts, id: string | undefined): Promise<EventQuery['startingAfter']> {
  if (id === undefined) return undefined
  const position = await findEventPosition(parts.db, id)
  if (position === undefined) throw noSuchObject('event', id, 'starting_after', 400)
  return position
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,11}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw invalidRequest(`Invalid ${name}: must be a whole number from ${least} to ${most}.`, { param: name })
}
