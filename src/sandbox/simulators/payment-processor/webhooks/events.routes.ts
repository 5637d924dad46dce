import type { FastifyInstance } from 'fastify'
import {
  emptyFields,
  type FormFields,
  nestedFields,
  optionalText,
  parseFormBody,
  rejectUnknown,
} from '../protocol/parameters.ts'
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

async function readQuery(parts: SimulatorParts, fields: FormFields): Promise<EventQuery> {
  rejectUnknown(fields, ['created', 'limit', 'starting_after', 'type', 'types'])
  return {
    types: typesIn(fields),
    ...timesIn(fields),
    startingAfter: await positionOf(parts, optionalText(fields, 'starting_after')),
    limit: wholeNumber('limit', optionalText(fields, 'limit') ?? '10', 1, 100),
  }
}

function typesIn(fields: FormFields): string[] | undefined {
  const type = optionalText(fields, 'type')
  const types = Object.keys(nestedFields(fields, 'types')).map((index) => {
    return optionalText(nestedFields(fields, 'types'), index) ?? ''
  })
  if (type !== undefined && types.length > 0)
    throw invalidRequest('You may pass either type or types, but not both.', { param: 'types' })
  if (types.length > 20) throw invalidRequest('types may have at most 20 names.', { param: 'types' })
  if ([type, ...types].some((each) => each?.includes('*')))
    throw invalidRequest('The payment simulator does not support wildcards.', { param: 'types' })
  if (type !== undefined) return [type]
  return types.length > 0 ? types : undefined
}

/** The time range that the parameter `created` selects, which may be a single second. */
function timesIn(fields: FormFields): Pick<EventQuery, 'from' | 'until'> {
  const second = (name: string, text: string) => wholeNumber(name, text, 0, 99_999_999_999)
  if (typeof fields.created === 'string') {
    const at = second('created', fields.created)
    return { from: at, until: at + 1 }
  }
  const range = fields.created ?? emptyFields()
  rejectUnknown(range, ['gt', 'gte', 'lt', 'lte'], 'created')
  const bound = (name: string, shift: number) => {
    const text = optionalText(range, name)
    return text === undefined ? [] : [second(`created[${name}]`, text) + shift]
  }
  const from = [...bound('gte', 0), ...bound('gt', 1)]
  const until = [...bound('lt', 0), ...bound('lte', 1)]
  return {
    from: from.length === 0 ? undefined : Math.max(...from),
    until: until.length === 0 ? undefined : Math.min(...until),
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
