import { z } from 'zod'
import { count } from './values.ts'

/* The answers of TradingView's UDF data feed. They have numbers instead of decimal strings, because chart libraries read doubles. */

const unixSeconds = count.describe('Unix seconds.')
const untrusted = 'untrusted text'

const udfError = z
  .object({ s: z.literal('error').describe('An error.'), errmsg: z.string().describe('What was wrong.') })
  .meta({ id: 'UdfError', description: 'A request that UDF could not answer.' })

const named = z.object({ value: z.string().describe('The word in requests; empty: all.'), name: z.string().describe('Name for people.') })

export const udfConfigSchema = z
  .object({
    supports_search: z.literal(true).describe('`/udf/search` and `/udf/symbols` answer.'),
    supports_group_request: z.literal(false).describe('Symbols are asked for one by one.'),
    supports_marks: z.literal(true).describe('`/udf/marks` answers.'),
    supports_timescale_marks: z.literal(true).describe('`/udf/timescale_marks` answers.'),
    supports_time: z.literal(true).describe('`/udf/time` answers.'),
    supported_resolutions: z.array(z.string()).describe('Minutes, or `1D`.'),
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
    timezone: z.literal('Etc/UTC').describe('Time zone of days.'),
    exchange: z.string().describe('Name of the launchpad.'),
    listed_exchange: z.string().describe('Name of the launchpad.'),
    format: z.literal('price').describe('How values are shown.'),
    minmov: z.literal(1).describe('Steps of `1 / pricescale`.'),
    pricescale: z.number().describe('Power of ten: how finely prices are shown. Follows the present price, with six digits.'),
    has_intraday: z.literal(true).describe('There are minutes.'),
    intraday_multipliers: z.array(z.string()).describe('The resolutions in minutes.'),
    has_daily: z.literal(true).describe('There are days.'),
    supported_resolutions: z.array(z.string()).describe('Minutes, or `1D`.'),
    volume_precision: count.describe('Decimal places of the volume.'),
    data_status: z.literal('streaming').describe('The data is of now.'),
    currency_code: z.string().describe('Currency of the prices.'),
  })
  .meta({ id: 'UdfSymbol', description: 'A token as a symbol of the chart library.' })

export const udfSymbolAnswer = z.union([udfSymbolSchema, udfError])

export const udfSearchAnswer = z.union([
  z.array(
    z
      .object({
        symbol: z.string().describe(`Symbol of the token: ${untrusted}.`),
        full_name: z.string().describe(`Launchpad and symbol: ${untrusted}.`),
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
      o: values('First prices.'),
      h: values('Highest prices.'),
      l: values('Lowest prices.'),
      c: values('Last prices.'),
      v: values('Traded values in the currency.'),
    })
    .meta({ id: 'UdfBars', description: 'Bars as columns of the same length.' }),
  z
    .object({
      s: z.literal('no_data').describe('There are none in the range.'),
      nextTime: unixSeconds.optional().describe('Unix seconds of the newest bar before the range. Absent: there is none.'),
    })
    .meta({ id: 'UdfNoData', description: 'A range without bars.' }),
  udfError,
])

const colour = z.string().describe('Colour.')

export const udfMarksAnswer = z.union([
  z
    .object({
      id: z.array(z.string()).describe('Block and log index of each trade.'),
      time: z.array(unixSeconds).describe('Unix seconds of each trade.'),
      color: z.array(colour).describe('Colour of each mark.'),
      text: z.array(z.string()).describe('What happened.'),
      label: z.array(z.string()).describe('Letter on the mark.'),
      labelFontColor: z.array(colour).describe('Colour of the letter.'),
      minSize: z.array(z.number()).describe('Least size in pixels.'),
    })
    .meta({ id: 'UdfMarks', description: 'The creator’s trades as marks on bars, in columns of the same length.' }),
  udfError,
])

export const udfTimescaleMarksAnswer = z.union([
  z.array(
    z
      .object({
        id: z.string().describe('`launch`, `completed` or `graduation`.'),
        time: unixSeconds,
        color: colour,
        label: z.string().describe('Letter on the mark.'),
        tooltip: z.array(z.string()).describe('What happened, by line.'),
      })
      .meta({ id: 'UdfTimescaleMark', description: 'A mark on the time axis.' }),
  ),
  udfError,
])
