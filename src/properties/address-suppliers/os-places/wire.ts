import Type, { type Static } from 'typebox'

const Name = Type.Optional(Type.String({ maxLength: 200 }))

/**
 * One Delivery Point Address: Royal Mail's address with Ordnance Survey's UPRN. A field that does not apply to the
 * address is absent.
 */
export const DeliveryPoint = Type.Object({
  UPRN: Type.String({ maxLength: 20 }),
  ORGANISATION_NAME: Name,
  DEPARTMENT_NAME: Name,
  SUB_BUILDING_NAME: Name,
  BUILDING_NAME: Name,
  BUILDING_NUMBER: Name,
  PO_BOX_NUMBER: Name,
  DEPENDENT_THOROUGHFARE_NAME: Name,
  THOROUGHFARE_NAME: Name,
  DOUBLE_DEPENDENT_LOCALITY: Name,
  DEPENDENT_LOCALITY: Name,
  POST_TOWN: Type.String({ maxLength: 200 }),
  POSTCODE: Type.String({ maxLength: 20 }),
  /** E, W, S, N (Northern Ireland), L (Channel Islands), M (Isle of Man), J (not assigned to a country). */
  COUNTRY_CODE: Name,
})
export type DeliveryPoint = Static<typeof DeliveryPoint>

/** `GET /search/places/v1/postcode`. `results` is left out if there are none. */
const PlacesResponse = Type.Object({
  header: Type.Object({ totalresults: Type.Integer({ minimum: 0 }) }),
  results: Type.Optional(Type.Array(Type.Object({ DPA: DeliveryPoint }), { maxItems: 100 })),
})

const BadRequestResponse = Type.Object({ error: Type.Object({ statuscode: Type.Integer(), message: Type.String() }) })

export const placesResponses = { 200: PlacesResponse, 400: BadRequestResponse }
