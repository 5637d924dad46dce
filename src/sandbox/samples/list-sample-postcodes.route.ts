import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text, WholeNumber } from '../../platform/http/schemas/values.ts'
import { listSamplePostcodes } from './list-sample-postcodes.ts'

const SamplePostcode = ResponseObject('SamplePostcode', 'A postcode with sample properties.', {
  postcode: Text(8, 'The postcode.'),
  region: Text(100, 'The electricity distribution region, which decides the rates.'),
  properties: WholeNumber({ minimum: 1, maximum: 1_000_000, description: 'The number of sample properties.' }),
})

export const listSamplePostcodesRoute = route({
  operationId: 'sandboxListPostcodes',
  method: 'GET',
  path: '/Sandbox/postcodes',
  tag: 'Sandbox',
  summary: 'List the postcodes with sample properties',
  description: 'TE5 7AA has one property for each special case; `addressLine1` says which.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: ResponseObject('SamplePostcodeList', 'The postcodes with sample properties.', {
    data: Type.Array(SamplePostcode, { maxItems: 10_000, description: 'The postcodes.' }),
  }),
  handle: ({ db, addresses }) => listSamplePostcodes({ db, addresses }),
  present: (postcodes) => ({
    data: postcodes.map(({ postcode, regionName, properties }) => ({ postcode, region: regionName, properties })),
  }),
})
