/** A chart: title, unit, what it shows, its queries by their legend, and whether its values may be negative. */
type Panel = [title: string, unit: string, description: string, queries: Record<string, string>, isSigned?: true]

/** The charts of the Grafana dashboard by section. All have one size, three beside each other. */
// biome-ignore format: a chart and its queries are easier to read in rows
const sections: Record<string, Panel[]> = {
  'Requests': [
    ['Ready', 'short', 'Processes that can handle requests.', {
      'ready': 'sum(housebill_ready)',
      'all': 'count(up{job="housebill"})',
    }],
    ['Requests', 'reqps', 'Completed requests a second, by status.', {
      '{{status}}': 'sum by (status) (rate(housebill_http_requests_total[$__rate_interval]))',
    }],
    ['Time until the response', 's', 'All requests but broadband checks, which wait for upstreams.', {
      'p50': 'histogram_quantile(0.5, sum by (le) (rate(housebill_http_request_duration_seconds_bucket{operation!="runBroadbandAvailabilityCheck"}[$__rate_interval])))',
      'p99': 'histogram_quantile(0.99, sum by (le) (rate(housebill_http_request_duration_seconds_bucket{operation!="runBroadbandAvailabilityCheck"}[$__rate_interval])))',
    }],
    ['Requests by operation', 'reqps', 'The ten most frequent.', {
      '{{operation}}': 'topk(10, sum by (operation) (rate(housebill_http_requests_total[$__rate_interval])))',
    }],
    ['Errors by operation', 'reqps', 'Responses with a status of 5xx, a second.', {
      '{{operation}}': 'sum by (operation) (rate(housebill_http_requests_total{status="5xx"}[$__rate_interval])) > 0',
    }],
    ['p99 by operation', 's', 'The ten slowest.', {
      '{{operation}}': 'topk(10, histogram_quantile(0.99, sum by (operation, le) (rate(housebill_http_request_duration_seconds_bucket[$__rate_interval]))))',
    }],
  ],
  'Database and limits': [
    ['Connections', 'short', 'Of all pools.', {
      '{{state}}': 'sum by (state) (housebill_postgres_connections)',
    }],
    ['Waiting', 'short', 'For a connection, and for a commit that has taken more than a second; and transactions that took that long.', {
      'for a connection': 'sum(housebill_postgres_waiting)',
      'for a commit': 'sum(housebill_postgres_commits_waiting)',
      'slow transactions': 'sum(increase(housebill_postgres_slow_transactions_total[$__rate_interval]))',
    }],
    ['Limits', 'short', 'Connections dropped and log lines left out, a second.', {
      'dropped: {{reason}}': 'sum by (reason) (rate(housebill_connections_dropped_total[$__rate_interval]))',
      'log lines': 'sum(rate(housebill_log_lines_dropped_total[$__rate_interval]))',
    }],
  ],
  'Webhooks and e-mail': [
    ['Queues', 'short', 'Events not dispatched and deliveries not ended.', {
      '{{state}}': 'max by (state) (housebill_webhook_waiting)',
      'being sent': 'sum(housebill_webhook_deliveries_in_hand)',
    }],
    ['Oldest wait', 's', 'The oldest undispatched event, and the oldest delivery that is due.', {
      '{{state}}': 'max by (state) (housebill_webhook_oldest_wait_seconds)',
    }],
    ['Attempts', 'ops', 'A second, by outcome.', {
      '{{outcome}}': 'sum by (outcome) (rate(housebill_webhook_attempts_total[$__rate_interval]))',
    }],
    ['Time of an attempt', 's', 'The mean.', {
      'mean': 'sum(rate(housebill_webhook_attempt_seconds_total[$__rate_interval])) / sum(rate(housebill_webhook_attempts_total[$__rate_interval]))',
    }],
    ['Webhooks', 'short', 'Of all partners, by state.', {
      '{{state}}': 'max by (state) (housebill_webhooks)',
    }],
    ['E-mails', 'short', 'Attempts an hour, by outcome.', {
      '{{outcome}}': 'sum by (outcome) (increase(housebill_mails_total[1h]))',
    }],
  ],
  'Upstreams': [
    ['Calls', 'ops', 'A second, with the requests that they took.', {
      '{{upstream}}': 'sum by (upstream) (rate(housebill_upstream_calls_total[$__rate_interval]))',
      '{{upstream}}: requests': 'sum by (upstream) (rate(housebill_upstream_tries_total[$__rate_interval]))',
    }],
    ['Failures', 'ops', 'A second, by kind.', {
      '{{upstream}}: {{kind}}': 'sum by (upstream, kind) (rate(housebill_upstream_failures_total[$__rate_interval])) > 0',
    }],
    ['p99 of a call', 's', 'With retries and waiting.', {
      '{{upstream}}': 'histogram_quantile(0.99, sum by (upstream, le) (rate(housebill_upstream_call_duration_seconds_bucket[$__rate_interval])))',
    }],
    ['Calls in progress', 'short', 'At most 32 for each process and upstream are sent at once.', {
      '{{upstream}}': 'sum by (upstream) (housebill_upstream_in_flight)',
    }],
    ['Circuit breakers', 'short', 'Processes whose breaker is not closed, and how often one opened in an hour.', {
      '{{upstream}}: {{state}}': 'sum by (upstream, state) (housebill_upstream_breaker{state!="closed"}) > 0',
      '{{upstream}}: openings': 'sum by (upstream) (increase(housebill_upstream_breaker_openings_total[1h])) > 0',
    }],
  ],
  'Processes': [
    ['Processor time', 'percentunit', 'Seconds a second.', {
      '{{instance}}': 'rate(process_cpu_seconds_total{job="housebill"}[$__rate_interval])',
    }],
    ['Event loop lag', 's', 'p99.', {
      '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job="housebill"}',
    }],
    ['Memory', 'bytes', 'Resident.', {
      '{{instance}}': 'process_resident_memory_bytes{job="housebill"}',
    }],
    ['Garbage collection', 'percentunit', 'Seconds a second.', {
      '{{instance}}': 'sum by (instance) (rate(nodejs_gc_duration_seconds_sum{job="housebill"}[$__rate_interval]))',
    }],
  ],
  'Contracts and money': [
    ['Waiting for you', 'short', 'What the back office has not acknowledged, confirmed or reported.', {
      'contracts not acknowledged': 'max(housebill_contracts_unacknowledged)',
      'task: {{kind}}': 'max by (kind) (housebill_tasks)',
      'supply not reported': 'max(housebill_services_unreported)',
    }],
    ['Refunds', 'short', 'Open, by how late they are.', {
      '{{due}}': 'max by (due) (housebill_refunds_open)',
    }],
    ['Locks that ended', 'short', 'Quotes an hour whose lock ended before everybody had accepted.', {
      'quotes': 'sum(increase(housebill_locks_ended_total[1h]))',
    }],
    ['Full access', 's', 'Time until the last operator credentials with every scope expire.', {
      'left': 'min(housebill_operator_credentials_expire_seconds)',
    }],
    ['Rate cards', 'd', 'Days until the rate cards on sale end without a successor; negative afterwards.', {
      'left': 'min(housebill_rate_cards_days_left)',
    }, true],
    ['Scheduled jobs', 's', 'Time since each job last succeeded; how late that is raises an alert.', {
      '{{scheduled_job}}': 'max by (scheduled_job) (housebill_job_success_age_seconds) and on (scheduled_job) max by (scheduled_job) (housebill_job_late_seconds) >= 0',
    }, true],
    ['Limit of collecting', 'percentunit', `How much of the day's limit has been asked for.`, {
      'used': 'max(housebill_collecting_limit_used)',
    }, true],
    ['Clocks', 's', 'How far each process is ahead of the database.', {
      '{{instance}}': 'housebill_clock_ahead_seconds',
    }, true],
    ['Certificate', 's', 'Time until the certificate ends.', {
      'left': 'min(housebill_certificate_expires_seconds)',
    }, true],
  ],
}

/** The dashboard as Grafana imports it. */
export function renderDashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const [section, charts] of Object.entries(sections)) {
    panels.push({ id: panels.length + 1, type: 'row', title: section, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] })
    for (const [index, [title, unit, description, queries, isSigned]] of charts.entries()) {
      const gridPos = { x: (index % 3) * 8, y: y + 1 + Math.floor(index / 3) * 7, w: 8, h: 7 }
      panels.push({
        ...{ id: panels.length + 1, type: 'timeseries', title, description },
        datasource: { type: 'prometheus', uid: `\${datasource}` },
        gridPos,
        fieldConfig: { defaults: isSigned ? { unit } : { unit, min: 0 } },
        targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
          refId: String.fromCharCode(65 + at),
          expr,
          legendFormat,
        })),
      })
    }
    y += 1 + Math.ceil(charts.length / 3) * 7
  }
  const datasource = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }
  const dashboard = {
    ...{ uid: 'housebill', title: 'Housebill' },
    description: 'The metrics of docs/operations.md. The scrape job must be called housebill.',
    ...{ tags: ['housebill'], schemaVersion: 39, editable: true, refresh: '30s' },
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [datasource] },
    annotations: { list: [] },
  }
  // A line for each panel, so that a change shows what it changes.
  const rows = panels.map((panel) => JSON.stringify(panel)).join(',\n')
  return `${JSON.stringify(dashboard).slice(0, -1)},\n"panels": [\n${rows}\n]}\n`
}
