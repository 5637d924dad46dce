import { NamedChoice } from '../../platform/http/schemas/named.ts'
import { serviceNames } from './services.ts'

export const ServiceType = NamedChoice('ServiceType', serviceNames(), 'A kind of household service.')
