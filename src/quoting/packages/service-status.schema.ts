import { Choice, NamedChoice } from '../../platform/http/schemas/named.ts'
import { serviceStatuses, statusSources } from './service-status.ts'
import { serviceNames } from './services.ts'

export const ServiceStatusName = NamedChoice(
  'ServiceStatus',
  serviceStatuses,
  'How far the supply of a service has come: `pending` until the operator reports something. Once the contract of the customer is over, `ended` or, if supply had not begun, `withdrawn`. New statuses may be added.',
)

export const StatusSourceName = Choice(
  statusSources,
  '`presumed` if nobody reported about the supply and it should have begun, so that `status` is `active`; otherwise `reported`.',
)

export const ServiceType = NamedChoice('ServiceType', serviceNames(), 'A kind of household service.')
