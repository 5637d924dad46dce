import Type, { type TSchema } from 'typebox'
import { Choice, named, ResponseObject } from '../../platform/http/schemas/named.ts'
import { type GivenMeterFacts, type Maybe, meterChoices } from './meter-facts.ts'

/** True, false, or `unknown` if nobody has said. */
export const MaybeFlag = (description: string) =>
  Type.Unsafe<Maybe>({ type: ['boolean', 'string'], enum: [true, false, 'unknown'], description })

const facts = {
  payment: Choice(
    meterChoices.payment,
    'How energy is paid for at present: `prepayment` before it is used, with a key, card or app, otherwise `credit`.',
  ),
  registers: Choice(
    meterChoices.registers,
    'Whether the electricity meter counts one use, or day and night apart (`two_rate`, such as Economy 7).',
  ),
  smart: MaybeFlag('Whether the meters are smart meters.'),
  heating: Choice(
    meterChoices.heating,
    'What heats the home. With `heat_network` no gas is offered, and the network supplies the heat.',
  ),
}

/** What is known of the meters and the heating of a home, in responses. */
export const MeterFactsObject = ResponseObject('MeterFacts', "What is known of the home's meters and heating.", facts)

/** Meter facts in a request: what is not sent stays as it is. */
export const GivenMeter = named(
  'MeterFactsInput',
  Type.Unsafe<GivenMeterFacts>(
    optionalFields(facts, "What you know of the home's meters and heating. Facts you leave out stay as they are."),
  ),
)

/** A closed object of which a client sends any fields, but at least one. */
export function optionalFields(fields: Record<string, TSchema>, description: string) {
  const optional = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]))
  return Type.Object(optional, { description, additionalProperties: false, minProperties: 1 })
}
