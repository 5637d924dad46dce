import Type from 'typebox'
import { listSamplePostcodes } from '../../../domain/addresses/samples/list-sample-postcodes.ts'
import { route } from '../../route.ts'
import { Text, WholeNumber } from '../../wire/values.ts'

const SamplePostcode = Type.Object(
  {
    postcode: Text(8),
    region: Text(100),
    properties: WholeNumber({ minimum: 1, maximum: 1_000_000, description: 'The number of sample properties.' }),
  },
  { additionalProperties: false },
)

export const listPostcodesRoute = route({
  operationId: 'sandboxListPostcodes',
  method: 'GET',
  path: '/Sandbox/postcodes',
  tag: 'Sandbox',
  summary: 'List the postcodes with sample properties',
  description: 'TE5 7AA has one property for each special case; `addressLine1` says which.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: Type.Object({ data: Type.Array(SamplePostcode, { maxItems: 10_000 }) }, { additionalProperties: false }),
  handle: ({ db, addresses }) => listSamplePostcodes({ db, addresses }),
  present: (postcodes) => ({
    data: postcodes.map(({ postcode, regionName, properties }) => ({ postcode, region: regionName, properties })),
  }),
})
