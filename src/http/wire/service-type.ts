import { serviceNames } from '../../domain/packages/services.ts'
import { NamedChoice } from './named.ts'

export const ServiceType = NamedChoice('ServiceType', serviceNames(), 'A kind of household service.')
