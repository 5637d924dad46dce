import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, Nullable, named, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, presentAs } from '../../platform/http/schemas/values.ts'
import { Address } from '../address.schema.ts'
import { type AddressLine, type LineMatch, matchAddresses, mostCandidates, noMatchReasons } from './match-addresses.ts'
import { matchReasons } from './rank-candidates.ts'

/** The most lines of a call. */
export const mostLines = 100

const longestLine = 500

const Line = named(
  'AddressLine',
  Type.Unsafe<string | AddressLine>({
    type: ['string', 'object'],
    maxLength: longestLine,
    properties: {
      address: {
        type: 'string',
        maxLength: longestLine,
        description: 'The address as it was written, in one line or several.',
      },
      postcode: { type: 'string', maxLength: 100, description: 'Its postcode, if it is not part of `address`.' },
      uprn: { type: 'string', pattern: '^[0-9]{1,12}$', description: 'Its UPRN, if you know it.' },
    },
    required: ['address'],
    additionalProperties: false,
    description: 'An address as somebody wrote it: one text, or an object with the parts you know.',
  }),
)

const { addressLine1, addressLine2, city, county, country, postCode } = Address.properties
const shown = { addressLine1, addressLine2, city, county, country, postCode }

const Candidate = ResponseObject('AddressCandidate', 'A property that may be meant.', {
  ...shown,
  addressUid: Id('The id to use when you create a quote.'),
  score: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'How well it agrees with what was written; 1 if everything does.',
  }),
  differences: Type.Array(Choice(matchReasons, 'What does not agree.'), {
    maxItems: matchReasons.length,
    description: 'What does not agree; empty if everything does.',
  }),
})

const Match = ResponseObject('AddressMatch', 'What was found for a line.', {
  outcome: Choice(
    ['sure', 'choose', 'none'],
    '`sure`: number, street and postcode agree with one property. `choose`: a person must choose. `none`: nothing fits.',
  ),
  reason: Nullable(Choice(noMatchReasons, 'Why nothing fits; null if something does.')),
  candidates: Type.Array(Candidate, {
    maxItems: mostCandidates,
    description: `The properties that may be meant, the likeliest first; one if the outcome is \`sure\`.`,
  }),
})

export const matchAddressesRoute = route({
  operationId: 'matchAddresses',
  method: 'POST',
  path: '/Addresses/match',
  tag: 'Addresses',
  summary: 'Find the properties of addresses as people write them',
  description:
    'Understands flats and numbers in either order, short forms and misspelt streets. A wrong end of a postcode and its first half with one digit are searched in the stored properties of the sector, and are never `sure`. Each line counts as a request, and the operator limits how many you have matched a day.',
  scope: 'addresses:read',
  body: RequestObject('MatchAddressesRequest', 'The addresses to find.', {
    lines: Type.Array(Line, { minItems: 1, maxItems: mostLines, description: 'The addresses.' }),
  }),
  reply: ResponseObject('AddressMatches', 'What was found.', {
    matches: Type.Array(Match, { maxItems: mostLines, description: 'One for each line, in their order.' }),
  }),
  errors: ['service_unavailable'],
  callsOf: ({ lines }) => lines.length,
  handle: (deps, { caller, body }) =>
    matchAddresses(
      deps,
      caller,
      body.lines.map((line) => (typeof line === 'string' ? { address: line } : line)),
    ),
  present: (matches) => ({ matches: matches.map(presentMatch) }),
})

function presentMatch({ outcome, reason, candidates }: LineMatch): Static<typeof Match> {
  const presented = candidates.map(({ property, score, reasons }) =>
    presentAs(Candidate, { ...property, postCode: property.postcode, score, differences: [...new Set(reasons)] }),
  )
  return { outcome, reason, candidates: presented }
}
