import { z } from 'zod'
import { count } from '#resources/values.ts'

/* The answers of TradingView's UDF data feed. They have numbers instead of decimal strings, because chart libraries read doubles. */

const unixSeconds = count.describe('Unix seconds.')
const untrusted = 'untrusted text, without characters that mean something in HTML'

const udfError = z
  .object({ s: z.literal('error').describe('An error.'), errmsg: z.string().describe('What was wrong.') })
  .meta({ id: 'UdfError', description: 'The answer to a request that is wrong or names an unknown symbol.' })

const named = z.object({
  value: z.string().describe('The value to send in requests; empty: all.'),
  name: z.string().describe('Name for people.'),
})

export const udfConfigSchema = z
  .object({
    supports_search: z.literal(true).describe('`/udf/search` and `/udf/symbols` are served.'),
    supports_group_request: z.literal(false).describe('Symbols must be requested one by one.'),
    supports_marks: z.literal(true).describe('`/udf/marks` is served.'),
    supports_timescale_marks: z.literal(true).describe('`/udf/timescale_marks` is served.'),
    supports_time: z.literal(true).describe('`/udf/time` is served.'),
    supported_resolutions: z
      .array(z.string())
      .describe('Lengths of bars: a number of minutes, or one with a unit, such as `15S`, `1D` or `1W`.'),
    currency_codes: z.array(z.string()).describe('Currencies of prices.'),
    exchanges: z.array(named.extend({ desc: z.string().describe('Description.') })).describe('The launchpads.'),
    symbols_types: z.array(named).describe('The types of symbols.'),
  })
  .meta({ id: 'UdfConfig', description: 'What the data feed offers.' })

const udfSymbolSchema = z
  .object({
    name: z.string().describe(`Symbol of the token: ${untrusted}.`),
    ticker: z.string().describe('Address of the token: what other requests call `symbol`.'),
    description: z.string().describe(`Name of the token: ${untrusted}.`),
    type: z.literal('crypto').describe('Type of the symbol.'),
    session: z.literal('24x7').describe('Trading never pauses.'),
    timezone: z.literal('Etc/UTC').describe('Time zone in which days begin.'),
    exchange: z.string().describe('Name of the launchpad.'),
    listed_exchange: z.string().describe('Name of the launchpad.'),
    format: z.literal('price').describe('Values are shown as prices.'),
    minmov: z.literal(1).describe('Smallest price step, in units of `1 / pricescale`.'),
    pricescale: z
      .number()
      .describe('Power of ten: prices are shown in steps of `1 / pricescale`, so that the current price has six significant digits.'),
    has_intraday: z.literal(true).describe('There are bars of minutes.'),
    intraday_multipliers: z.array(z.string()).describe('The resolutions below a day, in minutes.'),
    has_seconds: z.literal(true).describe('There are bars of seconds, of the last 24 hours.'),
    seconds_multipliers: z.array(z.string()).describe('The resolutions below a minute, in seconds.'),
    has_daily: z.literal(true).describe('There are bars of days.'),
    has_weekly_and_monthly: z.literal(true).describe('There are bars of weeks.'),
    weekly_multipliers: z.array(z.string()).describe('The resolutions in weeks.'),
    monthly_multipliers: z.array(z.string()).describe('The resolutions in months: none.'),
    supported_resolutions: z
      .array(z.string())
      .describe('Lengths of bars: a number of minutes, or one with a unit, such as `15S`, `1D` or `1W`.'),
    volume_precision: count.describe('Decimal places with which volumes are shown.'),
    data_status: z.literal('streaming').describe('The data is up to date.'),
    currency_code: z.string().describe('Currency of the prices.'),
  })
  .meta({ id: 'UdfSymbol', description: 'A token as a symbol of the chart library.' })

export const udfSymbolAnswer = z.union([udfSymbolSchema, udfError])

export const udfSearchAnswer = z.union([
  z.array(
    z
      .object({
        symbol: z.string().describe(`Symbol of the token: ${untrusted}.`),
        full_name: z.string().describe('Launchpad and address, `<launchpad>:<address>`.'),
        description: z.string().describe(`Name of the token: ${untrusted}.`),
        exchange: z.string().describe('Name of the launchpad.'),
        ticker: z.string().describe('Address of the token.'),
        type: z.literal('crypto').describe('Type of the symbol.'),
      })
      .meta({ id: 'UdfSearchResult', description: 'A token that a search found.' }),
  ),
  udfError,
])

const values = (meaning: string) => z.array(z.number()).describe(meaning)

export const udfHistoryAnswer = z.union([
  z
    .object({
      s: z.literal('ok').describe('There are bars.'),
      t: z.array(unixSeconds).describe('Unix seconds of each bar’s start, ascending.'),
      o: values('First price of each bar.'),
      h: values('Highest price of each bar.'),
      l: values('Lowest price of each bar.'),
      c: values('Last price of each bar.'),
      v: values('Traded value of each bar, in the requested currency.'),
    })
    .meta({ id: 'UdfBars', description: 'Bars as columns of the same length.' }),
  z
    .object({
      s: z.literal('no_data').describe('There are no bars in the range.'),
      nextTime: unixSeconds.optional().describe('Unix seconds of the start of the newest bar before the range. Absent: there is none.'),
    })
    .meta({ id: 'UdfNoData', description: 'A range without bars.' }),
  udfError,
])

const colour = z.string().describe('Colour as `#rrggbb`.')

export const udfMarksAnswer = z.union([
  z
    .object({
      id: z.array(z.string()).describe('`<blockNumber>-<logIndex>` of each trade.'),
      time: z.array(unixSeconds).describe('Unix seconds of the start of each trade’s bar.'),
      color: z.array(colour).describe('Colour of each mark.'),
      text: z.array(z.string()).describe(`What happened: ${untrusted}.`),
      label: z.array(z.string()).describe('Letter shown on the mark.'),
      labelFontColor: z.array(colour).describe('Colour of the letter.'),
      minSize: z.array(z.number()).describe('Minimum size of each mark, in pixels.'),
    })
    .meta({ id: 'UdfMarks', description: 'The creator’s trades as marks on bars, in columns of the same length.' }),
  udfError,
])

export const udfTimescaleMarksAnswer = z.union([
  z.array(
    z
      .object({
        id: z.string().describe('`launch`, `completed` or `graduation`.'),
        time: unixSeconds.describe('Unix seconds of the start of the bar in which it happened.'),
        color: colour,
        label: z.string().describe('Letter shown on the mark.'),
        tooltip: z.array(z.string()).describe('Lines of text that say what happened.'),
      })
      .meta({ id: 'UdfTimescaleMark', description: 'A mark on the time axis.' }),
  ),
  udfError,
])
