import Type from 'typebox'
import { listSamplePostcodes } from '../../../domain/addresses/samples/list-sample-postcodes.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Text, WholeNumber } from '../../wire/values.ts'

const SamplePostcode = ResponseObject('SamplePostcode', 'A postcode with sample properties.', {
  postcode: Text(8, 'The postcode.'),
  region: Text(100, 'The electricity distribution region, which decides the rates.'),
  properties: WholeNumber({ minimum: 1, maximum: 1_000_000, description: 'The number of sample properties.' }),
})

export const listPostcodesRoute = route({
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
