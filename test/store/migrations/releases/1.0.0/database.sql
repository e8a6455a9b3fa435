--
-- PostgreSQL database dump
--

\restrict 6PZ6etGc4Lmze6BOc1WaeCGaecLdaTeV1x1QWNtyxWuWEoIZGN6371cXKtBgW9I

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: tokenwire_logs; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA tokenwire_logs;


--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: announced_contract; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.announced_contract (
    address bytea NOT NULL,
    launchpad text NOT NULL,
    role text NOT NULL,
    created_block bigint NOT NULL,
    CONSTRAINT announced_contract_role_check CHECK ((role = ANY (ARRAY['contract'::text, 'module'::text])))
);


--
-- Name: balance; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.balance (
    token bytea NOT NULL,
    holder bytea NOT NULL,
    balance numeric NOT NULL,
    type text NOT NULL,
    last_changed_block bigint NOT NULL,
    buys integer DEFAULT 0 NOT NULL,
    sells integer DEFAULT 0 NOT NULL,
    bought_token numeric DEFAULT 0 NOT NULL,
    sold_token numeric DEFAULT 0 NOT NULL,
    bought_wei numeric,
    bought_usd numeric,
    sold_wei numeric,
    sold_usd numeric,
    cost_wei numeric,
    cost_usd numeric,
    realized_wei numeric,
    realized_usd numeric,
    first_trade_at bigint,
    last_buy_at bigint,
    last_sell_at bigint,
    classes smallint DEFAULT 0 NOT NULL,
    CONSTRAINT balance_type_check CHECK ((type = ANY (ARRAY['wallet'::text, 'creator'::text, 'pool'::text, 'curve'::text, 'locker'::text, 'burn'::text, 'contract'::text])))
);


--
-- Name: block; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.block (
    number bigint NOT NULL,
    hash bytea NOT NULL,
    parent_hash bytea NOT NULL,
    "timestamp" bigint NOT NULL,
    joined boolean DEFAULT false NOT NULL,
    revalued_to bytea
);


--
-- Name: candle; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.candle (
    token bytea NOT NULL,
    interval_seconds integer NOT NULL,
    "time" bigint NOT NULL,
    open numeric,
    high numeric,
    low numeric,
    close numeric,
    volume_wei numeric,
    trades integer NOT NULL,
    volume_token numeric,
    open_quote numeric,
    high_quote numeric,
    low_quote numeric,
    close_quote numeric,
    volume_quote numeric,
    open_usd numeric,
    high_usd numeric,
    low_usd numeric,
    close_usd numeric,
    volume_usd numeric,
    trades_usd integer NOT NULL,
    in_usd boolean GENERATED ALWAYS AS (((close_usd IS NOT NULL) OR NULLIF((close IS NULL), true))) STORED
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05');


--
-- Name: creator_fee; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.creator_fee (
    launchpad text NOT NULL,
    creator bytea NOT NULL,
    currency bytea NOT NULL,
    scope text NOT NULL,
    token bytea NOT NULL,
    accrued numeric,
    claimed numeric NOT NULL,
    last_changed_block bigint NOT NULL,
    claim_id numeric,
    CONSTRAINT creator_fee_scope_check CHECK ((scope = ANY (ARRAY['token'::text, 'creator'::text])))
);


--
-- Name: early_class; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.early_class (
    token bytea NOT NULL,
    class text NOT NULL,
    wallets integer NOT NULL,
    bought_token numeric NOT NULL,
    sold_token numeric NOT NULL,
    CONSTRAINT early_class_class_check CHECK ((class = ANY (ARRAY['creator'::text, 'sniper'::text, 'bundler'::text, 'insider'::text])))
);


--
-- Name: index_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.index_totals (
    id smallint DEFAULT 1 NOT NULL,
    counted_at bigint NOT NULL,
    tokens integer NOT NULL,
    bonding integer NOT NULL,
    completed integer NOT NULL,
    migrated integer NOT NULL,
    liquidity_weth numeric NOT NULL,
    trades_h24 bigint NOT NULL,
    volume_h24 numeric NOT NULL,
    traders_h24 bigint NOT NULL,
    CONSTRAINT index_totals_id_check CHECK ((id = 1))
);


--
-- Name: launchpad_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.launchpad_totals (
    launchpad text NOT NULL,
    tokens integer NOT NULL,
    bonding integer NOT NULL,
    completed integer NOT NULL,
    migrated integer NOT NULL,
    trades_h24 bigint NOT NULL,
    volume_h24 numeric NOT NULL
);


--
-- Name: pool; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool (
    address bytea NOT NULL,
    token bytea NOT NULL,
    launchpad text NOT NULL,
    type text NOT NULL,
    quote_token bytea NOT NULL,
    token_is_token0 boolean NOT NULL,
    fee_bps double precision,
    reserve_token numeric,
    reserve_quote numeric,
    sqrt_price_x96 numeric,
    tick integer,
    liquidity numeric,
    price numeric,
    created_block bigint NOT NULL,
    position_id numeric,
    last_changed_block bigint,
    positions_token numeric,
    positions_quote numeric,
    CONSTRAINT pool_type_check CHECK ((type = ANY (ARRAY['curve'::text, 'uniswap-v2'::text, 'uniswap-v3'::text, 'uniswap-v4'::text])))
);


--
-- Name: pool_tick; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool_tick (
    pool bytea NOT NULL,
    tick integer NOT NULL,
    liquidity numeric NOT NULL
);


--
-- Name: token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token (
    address bytea NOT NULL,
    launchpad text NOT NULL,
    symbol text,
    name text,
    decimals smallint NOT NULL,
    total_supply numeric NOT NULL,
    creator bytea NOT NULL,
    admin bytea,
    created_at bigint NOT NULL,
    created_block bigint NOT NULL,
    created_tx_hash bytea NOT NULL,
    metadata_uri text,
    image_uri text,
    image_url text,
    description text,
    main_pool bytea,
    quote_token bytea,
    quote_rate numeric,
    quote_usd numeric,
    price_weth numeric,
    price_quote numeric,
    event_price_weth numeric,
    first_price_weth numeric,
    ath_price_weth numeric,
    close_usd numeric,
    last_price_at bigint,
    market_cap_weth numeric,
    liquidity_weth numeric,
    trade_count integer NOT NULL,
    holder_count integer NOT NULL,
    last_trade_at bigint,
    volume_m5 numeric NOT NULL,
    buy_volume_m5 numeric NOT NULL,
    buys_m5 integer NOT NULL,
    sells_m5 integer NOT NULL,
    buyers_m5 integer NOT NULL,
    sellers_m5 integer NOT NULL,
    reference_price_m5 numeric,
    price_change_m5 double precision,
    volume_h1 numeric NOT NULL,
    buy_volume_h1 numeric NOT NULL,
    buys_h1 integer NOT NULL,
    sells_h1 integer NOT NULL,
    buyers_h1 integer NOT NULL,
    sellers_h1 integer NOT NULL,
    reference_price_h1 numeric,
    price_change_h1 double precision,
    volume_h6 numeric NOT NULL,
    buy_volume_h6 numeric NOT NULL,
    buys_h6 integer NOT NULL,
    sells_h6 integer NOT NULL,
    buyers_h6 integer NOT NULL,
    sellers_h6 integer NOT NULL,
    reference_price_h6 numeric,
    price_change_h6 double precision,
    volume_h24 numeric NOT NULL,
    buy_volume_h24 numeric NOT NULL,
    buys_h24 integer NOT NULL,
    sells_h24 integer NOT NULL,
    buyers_h24 integer NOT NULL,
    sellers_h24 integer NOT NULL,
    reference_price_h24 numeric,
    price_change_h24 double precision,
    windows_at bigint NOT NULL,
    windows_expire_at bigint,
    trades_m5 integer GENERATED ALWAYS AS ((buys_m5 + sells_m5)) STORED NOT NULL,
    trades_h1 integer GENERATED ALWAYS AS ((buys_h1 + sells_h1)) STORED NOT NULL,
    trades_h24 integer GENERATED ALWAYS AS ((buys_h24 + sells_h24)) STORED NOT NULL,
    trending integer GENERATED ALWAYS AS ((((24 * buyers_h1) + (4 * buyers_h6)) + buyers_h24)) STORED NOT NULL,
    creator_fee_bps double precision,
    fees_accrued numeric,
    fees_claimed numeric,
    vesting_claimed numeric,
    vesting_ends_at bigint,
    graduation_status text NOT NULL,
    graduation_percent double precision,
    raised numeric,
    target numeric,
    completed_at bigint,
    migrated_at bigint,
    graduated_pool bytea,
    graduated_price_weth numeric,
    graduation_tx_hash bytea,
    sequence bigint NOT NULL,
    as_of_block bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    surface text,
    opened_at bigint,
    creator_held numeric,
    sniper_held numeric,
    bundler_held numeric,
    insider_held numeric,
    links text,
    ath_price_usd numeric,
    CONSTRAINT token_graduation_status_check CHECK ((graduation_status = ANY (ARRAY['none'::text, 'bonding'::text, 'completed'::text, 'migrated'::text])))
);


--
-- Name: trader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trader (
    maker bytea NOT NULL,
    first_trade_at bigint NOT NULL,
    last_trade_at bigint NOT NULL,
    trades integer NOT NULL,
    volume_wei numeric NOT NULL,
    tokens integer NOT NULL,
    realized_wei numeric NOT NULL,
    realized_usd numeric NOT NULL,
    tokens_without_wei integer NOT NULL,
    tokens_without_usd integer NOT NULL
);


--
-- Name: block_undo; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.block_undo (
    block_number bigint NOT NULL,
    "position" integer NOT NULL,
    table_name text NOT NULL,
    added_key json,
    token public.token,
    pool public.pool,
    pool_tick public.pool_tick,
    balance public.balance,
    early_class public.early_class,
    candle public.candle,
    creator_fee public.creator_fee,
    trader public.trader,
    index_totals public.index_totals,
    launchpad_totals public.launchpad_totals
)
WITH (toast_tuple_target='8160');


--
-- Name: chain_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chain_state (
    id smallint DEFAULT 1 NOT NULL,
    chain_id bigint NOT NULL,
    genesis_hash bytea NOT NULL,
    weth bytea NOT NULL,
    launchpads jsonb NOT NULL,
    writer text,
    cursor_number bigint,
    cursor_hash bytea,
    cursor_timestamp bigint,
    committed_at_ms bigint,
    undo_from bigint,
    commits bigint DEFAULT 0 NOT NULL,
    minutes_from bigint,
    peg_usd jsonb,
    rebuild jsonb DEFAULT '[]'::jsonb NOT NULL,
    value_changes_from bigint,
    unfolded_from bigint,
    CONSTRAINT chain_state_id_check CHECK ((id = 1))
);


--
-- Name: currency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.currency (
    address bytea NOT NULL,
    symbol text,
    decimals smallint,
    is_read boolean NOT NULL,
    read_again_at_ms bigint
);


--
-- Name: dropped_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dropped_token (
    address bytea NOT NULL,
    sequence bigint NOT NULL,
    dropped_at_ms bigint NOT NULL
);


--
-- Name: holder_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.holder_code (
    holder bytea NOT NULL,
    contract boolean NOT NULL
);


--
-- Name: join_exit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.join_exit (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    pool bytea NOT NULL,
    maker bytea NOT NULL,
    amount_token numeric NOT NULL,
    amount_quote numeric NOT NULL,
    reserve_token numeric,
    reserve_quote numeric,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL
);


--
-- Name: leader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leader (
    period text NOT NULL,
    launchpad text NOT NULL,
    maker bytea NOT NULL,
    buys integer NOT NULL,
    sells integer NOT NULL,
    bought_wei numeric NOT NULL,
    bought_usd numeric NOT NULL,
    sold_wei numeric NOT NULL,
    sold_usd numeric NOT NULL,
    realized_wei numeric NOT NULL,
    realized_usd numeric NOT NULL,
    trades_without_wei integer NOT NULL,
    trades_without_usd integer NOT NULL,
    sales_without_wei integer NOT NULL,
    sales_without_usd integer NOT NULL,
    last_trade_at bigint NOT NULL,
    CONSTRAINT leader_period_check CHECK ((period = ANY (ARRAY['24h'::text, '7d'::text, '30d'::text, 'all'::text])))
);


--
-- Name: leader_window; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leader_window (
    period text NOT NULL,
    after_block bigint NOT NULL,
    to_block bigint NOT NULL,
    CONSTRAINT leader_window_period_check CHECK ((period = ANY (ARRAY['24h'::text, '7d'::text, '30d'::text, 'all'::text])))
);


--
-- Name: metadata; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metadata (
    key bytea NOT NULL,
    uri text NOT NULL,
    lane text GENERATED ALWAYS AS (
CASE
    WHEN (uri ~* '^\s*https?:'::text) THEN 'web'::text
    WHEN (uri ~* '^\s*(data:|[{])'::text) THEN 'local'::text
    ELSE 'gateway'::text
END) STORED NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at_ms bigint,
    attempted_at_ms bigint,
    outcome text,
    image_url text,
    description text,
    links jsonb,
    CONSTRAINT metadata_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'read'::text, 'announced'::text, 'refused'::text])))
);


--
-- Name: metadata_waiting; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metadata_waiting (
    key bytea NOT NULL,
    token bytea NOT NULL
);


--
-- Name: mikro_orm_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mikro_orm_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);


--
-- Name: TABLE mikro_orm_migrations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.mikro_orm_migrations IS 'Tokenwire 1.0.0';


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.mikro_orm_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.mikro_orm_migrations_id_seq OWNED BY public.mikro_orm_migrations.id;


--
-- Name: milestone; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.milestone (
    kind text NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    status text,
    CONSTRAINT milestone_kind_check CHECK ((kind = ANY (ARRAY['launch'::text, 'graduation'::text]))),
    CONSTRAINT milestone_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'migrated'::text])))
);


--
-- Name: pool_creation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool_creation (
    pool bytea NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL
);


--
-- Name: reorg; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reorg (
    number bigint NOT NULL,
    from_block bigint NOT NULL
);


--
-- Name: token_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token_name (
    token bytea NOT NULL,
    name text NOT NULL
);


--
-- Name: trade; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    pool bytea NOT NULL,
    phase text NOT NULL,
    side text NOT NULL,
    maker bytea NOT NULL,
    amount_token numeric NOT NULL,
    amount_quote numeric,
    fee_quote numeric,
    amount_wei numeric,
    fee_wei numeric,
    price_weth numeric,
    price_after_weth numeric,
    price_usd numeric,
    value_usd numeric,
    eth_usd numeric,
    pool_price numeric,
    reserve_token numeric,
    reserve_quote numeric,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL,
    realized_wei numeric,
    realized_usd numeric,
    CONSTRAINT trade_phase_check CHECK ((phase = ANY (ARRAY['curve'::text, 'pool'::text]))),
    CONSTRAINT trade_side_check CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))
);


--
-- Name: uncollected_fee; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uncollected_fee (
    token bytea NOT NULL,
    token_amount numeric,
    quote_amount numeric,
    block_number bigint NOT NULL
);


--
-- Name: value_change; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.value_change (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    "timestamp" bigint NOT NULL,
    price_weth_before numeric,
    price_weth numeric,
    price_usd_before numeric,
    price_usd numeric,
    market_cap_weth_before numeric,
    market_cap_weth numeric,
    market_cap_usd_before numeric,
    market_cap_usd numeric,
    graduation_percent_before numeric,
    graduation_percent numeric,
    holders_before integer,
    holders integer NOT NULL
);


--
-- Name: webhook_position; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_position (
    name text NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    reorgs bigint NOT NULL,
    version bigint NOT NULL,
    is_paused boolean NOT NULL,
    failures integer NOT NULL,
    failing_since_ms bigint,
    next_attempt_at_ms bigint,
    last_error text
);


--
-- Name: chain; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.chain (
    chain_id bigint NOT NULL,
    genesis_hash bytea NOT NULL
);


--
-- Name: fact; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.fact (
    key bytea NOT NULL,
    value bytea
);


--
-- Name: range; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.range (
    run bigint NOT NULL,
    from_block bigint NOT NULL,
    to_block bigint NOT NULL,
    parent_hash bytea NOT NULL,
    hash bytea NOT NULL,
    keys bytea NOT NULL,
    logs integer NOT NULL,
    body bytea NOT NULL
);
ALTER TABLE ONLY tokenwire_logs.range ALTER COLUMN body SET STORAGE EXTERNAL;


--
-- Name: run; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.run (
    id bigint NOT NULL,
    filter text NOT NULL
);


--
-- Name: run_id_seq; Type: SEQUENCE; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE tokenwire_logs.run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tokenwire_logs.run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: mikro_orm_migrations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations ALTER COLUMN id SET DEFAULT nextval('public.mikro_orm_migrations_id_seq'::regclass);


--
-- Data for Name: announced_contract; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: balance; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.balance VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 0, 'curve', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 231880989664891951580734712, 'creator', 7, 1, 1, 232880989664891951580734712, 1000000000000000000000000, 100000000000000000, NULL, 536881729009448, NULL, 99570596122320261, NULL, 107477851329709, NULL, 1790000006, 1790000006, 1790000010, 1),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x5fc8d32690cc91d4c39d9d3abcbd16989f875707', 0, 'locker', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x000000000000000000000000000000000000dead', 1307479224376731072029338, 'burn', 9, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, 'creator', 60, 1, 0, 39018259346263706104971535, 0, 30000000000000000, NULL, 0, 0, 30000000000000000, NULL, 0, 0, 1790000067, 1790000067, NULL, 1),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 617298507462686566573286426, 'curve', 60, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 173673574147124246661936114, 'pool', 61, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 593137956963607070685299836, 'wallet', 61, 2, 0, 593137956963607070685299836, 0, 1110648792703815373, NULL, 0, 0, 1110648792703815373, NULL, 0, 0, 1790000011, 1790000068, NULL, 2),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 100000000000000000000, 'wallet', 62, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 343683133191049727321742039, 'wallet', 62, 3, 0, 343683233191049727321742039, 0, 170000000000000000, NULL, 0, 0, 169999950535847088, NULL, 0, 0, 1790000007, 1790000009, NULL, 2);


--
-- Data for Name: block; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block VALUES
	(9, '\xe4e833a17f1187ff226ad70eaae84c7354a383cc5f54484e220865931eebc56e', '\xc16d6b5762e2ab47c3c7b3b7af1003fe2e5f93b3da5ad26c90370de1a3bfad75', 1790000012, false, NULL),
	(10, '\x64e9e30378ebd78feee527ae972375f6a8842b5e2fc181510ef76c9fdf406383', '\xe4e833a17f1187ff226ad70eaae84c7354a383cc5f54484e220865931eebc56e', 1790000013, true, NULL),
	(11, '\x302f237defe5cc33b730afb5cd03713f8ea4fe52ef4863b00d530552e778c21a', '\x64e9e30378ebd78feee527ae972375f6a8842b5e2fc181510ef76c9fdf406383', 1790000014, true, NULL),
	(12, '\xcf50247567d7a3cd30dd2df234a7999a90df7b0240650de7a786bb281f556d52', '\x302f237defe5cc33b730afb5cd03713f8ea4fe52ef4863b00d530552e778c21a', 1790000015, true, NULL),
	(13, '\xdc410c12b63b83648b8729ab49ba2e7772803ce21375d0a9218980c22606e33f', '\xcf50247567d7a3cd30dd2df234a7999a90df7b0240650de7a786bb281f556d52', 1790000016, true, NULL),
	(14, '\x6303e4733a36511b2e77f86037d3eb773ba9abddc3f077188935c887270bbca2', '\xdc410c12b63b83648b8729ab49ba2e7772803ce21375d0a9218980c22606e33f', 1790000017, true, NULL),
	(15, '\x3111ee7bd38bfcd1fb2176af51691e210624204ced765b7ef5378c789f976a72', '\x6303e4733a36511b2e77f86037d3eb773ba9abddc3f077188935c887270bbca2', 1790000018, true, NULL),
	(16, '\x3526ead8780da2757a1151e21edab8283d10baec8e40f6222f31152f92bd45c1', '\x3111ee7bd38bfcd1fb2176af51691e210624204ced765b7ef5378c789f976a72', 1790000019, true, NULL),
	(17, '\xdd69e53ce20976b5950027d74d1aebce2fba03967bc509aa86c3dccf631913e4', '\x3526ead8780da2757a1151e21edab8283d10baec8e40f6222f31152f92bd45c1', 1790000020, true, NULL),
	(18, '\xafac693bd48be59dd0802353b665f70bf0a8238c317af08eb5330592a0c0cad0', '\xdd69e53ce20976b5950027d74d1aebce2fba03967bc509aa86c3dccf631913e4', 1790000021, true, NULL),
	(19, '\xeeb193b857d515656e6f2bdcc68b8777935b1c0a7e8da29237ecd57748cd0553', '\xafac693bd48be59dd0802353b665f70bf0a8238c317af08eb5330592a0c0cad0', 1790000022, true, NULL),
	(20, '\xaa9405528700e7dafbe198ac92645f1d5be707661369bf3dc1d7bd84feb6a513', '\xeeb193b857d515656e6f2bdcc68b8777935b1c0a7e8da29237ecd57748cd0553', 1790000023, true, NULL),
	(21, '\xb7adc40fc8465ed737195b7d1adb5d33938390c807dbfb4547b194da12a62377', '\xaa9405528700e7dafbe198ac92645f1d5be707661369bf3dc1d7bd84feb6a513', 1790000024, true, NULL),
	(22, '\xac944da0d242a31106998731131c3b4e3f6961c4316021b4c0d3ab8fd5e2dd0f', '\xb7adc40fc8465ed737195b7d1adb5d33938390c807dbfb4547b194da12a62377', 1790000025, true, NULL),
	(23, '\xf4a350c7b477350ef4cf5e108086051c6d2d3adaf229f258e1e48856d3b203d2', '\xac944da0d242a31106998731131c3b4e3f6961c4316021b4c0d3ab8fd5e2dd0f', 1790000026, true, NULL),
	(24, '\xb4d9a02684ea880ca6724ee126ef91ab353e49549aed12307417873356774275', '\xf4a350c7b477350ef4cf5e108086051c6d2d3adaf229f258e1e48856d3b203d2', 1790000027, true, NULL),
	(25, '\x0f57ceb7856091bc89baddfd55981715372609833c2ebeab8b20339049e15907', '\xb4d9a02684ea880ca6724ee126ef91ab353e49549aed12307417873356774275', 1790000028, true, NULL),
	(26, '\xe9900e69f4de56cbc7b6a0132f5a5f4aa8415155e6d288021cad3250034d1ab2', '\x0f57ceb7856091bc89baddfd55981715372609833c2ebeab8b20339049e15907', 1790000029, true, NULL),
	(27, '\x0ce225d814b77c6cacbe5d15fb8a4f253a54b0d7e1fa7dae9516162dfb8f8e34', '\xe9900e69f4de56cbc7b6a0132f5a5f4aa8415155e6d288021cad3250034d1ab2', 1790000030, true, NULL),
	(28, '\xfeeff4d0930d3ac6d11a9847e56c1e20db863233b0523176fbbd61ce1c214f15', '\x0ce225d814b77c6cacbe5d15fb8a4f253a54b0d7e1fa7dae9516162dfb8f8e34', 1790000031, true, NULL),
	(29, '\x46bc6488cce697fd054d9296b6f4aaf565adc5e0b3bd203487796a603287d1f2', '\xfeeff4d0930d3ac6d11a9847e56c1e20db863233b0523176fbbd61ce1c214f15', 1790000032, true, NULL),
	(30, '\x709aa89eb25a49fd79c2255302e57296343a0c496d334ec4f2d14e20df7cba80', '\x46bc6488cce697fd054d9296b6f4aaf565adc5e0b3bd203487796a603287d1f2', 1790000033, true, NULL),
	(31, '\x6c2e473ea786865a0bdb8c19633c98a86dd587ccb623bc0b054f341fd7ff18ea', '\x709aa89eb25a49fd79c2255302e57296343a0c496d334ec4f2d14e20df7cba80', 1790000034, true, NULL),
	(32, '\x50f41a9e664c05a32c80d1794f09c5b98d0320469f17f37f438962db9b94139d', '\x6c2e473ea786865a0bdb8c19633c98a86dd587ccb623bc0b054f341fd7ff18ea', 1790000035, true, NULL),
	(33, '\x5bac3caa1278e9b67c98921ac2e51d4c3d412206ae1763a2d04b9b374db5ec4e', '\x50f41a9e664c05a32c80d1794f09c5b98d0320469f17f37f438962db9b94139d', 1790000036, true, NULL),
	(34, '\xdb35646de9469028b137804f62fb8b6ffd0c102702675c8429c60ad3ea126333', '\x5bac3caa1278e9b67c98921ac2e51d4c3d412206ae1763a2d04b9b374db5ec4e', 1790000037, true, NULL),
	(35, '\x271b5651981ff88c9e472f776fbff2bc9ac89c9273c38f690fade72f17a71583', '\xdb35646de9469028b137804f62fb8b6ffd0c102702675c8429c60ad3ea126333', 1790000038, true, NULL),
	(36, '\xc429f891563bedc516fdc5dee7e159e075306f5a69f6a3dad07cca513247f6f1', '\x271b5651981ff88c9e472f776fbff2bc9ac89c9273c38f690fade72f17a71583', 1790000039, true, NULL),
	(37, '\x611b6358b500f81f7f9a66d75fb8911c6edefbe728b85694afa231aa523c2e52', '\xc429f891563bedc516fdc5dee7e159e075306f5a69f6a3dad07cca513247f6f1', 1790000040, true, NULL),
	(38, '\x7c1034680a3146daa3e9f44585594d93f5d12417d7e9359b2a53a2e768c7c278', '\x611b6358b500f81f7f9a66d75fb8911c6edefbe728b85694afa231aa523c2e52', 1790000041, true, NULL),
	(39, '\xc1f2e436507869c1e1b6546c54138c4d4e9eed519c85253555cbf3b8aed7aa2e', '\x7c1034680a3146daa3e9f44585594d93f5d12417d7e9359b2a53a2e768c7c278', 1790000042, true, NULL),
	(40, '\xf4e9fedc3effc15e15beb17a4c53ad35931d959473daa7b4fd0c7c60c3191e0e', '\xc1f2e436507869c1e1b6546c54138c4d4e9eed519c85253555cbf3b8aed7aa2e', 1790000043, true, NULL),
	(41, '\xcaecbbd6b3130d624bed6b92795ac2b73d8ab4b3d159963a644866f2a3ce6700', '\xf4e9fedc3effc15e15beb17a4c53ad35931d959473daa7b4fd0c7c60c3191e0e', 1790000044, false, NULL),
	(42, '\x6ecfd78cd967bd4e0666ff2aba4c10066a93064347224523ef35f5373bd83c62', '\xcaecbbd6b3130d624bed6b92795ac2b73d8ab4b3d159963a644866f2a3ce6700', 1790000045, true, NULL),
	(43, '\x79ef7f9e6f453487a75540196929d7eebc8e7f87ebcdbd3e6ec9127562a468e1', '\x6ecfd78cd967bd4e0666ff2aba4c10066a93064347224523ef35f5373bd83c62', 1790000046, true, NULL),
	(44, '\x710462926b7e3b4f73c833981ce30c8e5286d2a3bb9f96231d0449025f6c920d', '\x79ef7f9e6f453487a75540196929d7eebc8e7f87ebcdbd3e6ec9127562a468e1', 1790000047, true, NULL),
	(45, '\x3125840c72de3eff0478845567dc0fde2bd37ad0c6e1e8b3fcd7ae90f9291875', '\x710462926b7e3b4f73c833981ce30c8e5286d2a3bb9f96231d0449025f6c920d', 1790000048, true, NULL),
	(46, '\xa052ef585875ebbba786987a6cdc5f340e2b735eff2b80ac43feca464c95307e', '\x3125840c72de3eff0478845567dc0fde2bd37ad0c6e1e8b3fcd7ae90f9291875', 1790000049, true, NULL),
	(47, '\x10caf3e10db89d0369689636a273a754cdc39fc1212f6cfe7687216abcf97b32', '\xa052ef585875ebbba786987a6cdc5f340e2b735eff2b80ac43feca464c95307e', 1790000050, true, NULL),
	(48, '\x495d7cb420a0a70a1f2f108917507338ed7c33800555b469531b74505ad4c233', '\x10caf3e10db89d0369689636a273a754cdc39fc1212f6cfe7687216abcf97b32', 1790000051, true, NULL),
	(49, '\xc879dd3851a7aa8b52c0efc401c8b951edc37082bfc9fc56c263c3a94e2e524f', '\x495d7cb420a0a70a1f2f108917507338ed7c33800555b469531b74505ad4c233', 1790000052, true, NULL),
	(50, '\x039d47a2a59e0d5ab8621c5419f689280ca744e71c587c5c1270302841e55872', '\xc879dd3851a7aa8b52c0efc401c8b951edc37082bfc9fc56c263c3a94e2e524f', 1790000053, false, NULL),
	(51, '\x12ec3f6f821be1028fc4acc91f9699532f8f79b81894e8094cfcf42e2e2bf795', '\x039d47a2a59e0d5ab8621c5419f689280ca744e71c587c5c1270302841e55872', 1790000054, false, NULL),
	(52, '\xd9247ab24e3ae55b90e3c0bfa095922aebd4af37ffdd2819c61f1848fe2eb0d6', '\x12ec3f6f821be1028fc4acc91f9699532f8f79b81894e8094cfcf42e2e2bf795', 1790000055, false, NULL),
	(53, '\x7518ab37c05fafdf5450d7837760d5c6a2cb432276f69e90fa9bf1e6638b6922', '\xd9247ab24e3ae55b90e3c0bfa095922aebd4af37ffdd2819c61f1848fe2eb0d6', 1790000056, false, NULL),
	(54, '\xddc0c5c94c26d7ccc0a5269505af239a2d009ae5fcce6efd766f6d372d7f0a5b', '\x7518ab37c05fafdf5450d7837760d5c6a2cb432276f69e90fa9bf1e6638b6922', 1790000057, false, NULL),
	(55, '\x028d3263c93e67dc2d197d3a3410314ed70176d507935f2180968b8455a0fdf9', '\xddc0c5c94c26d7ccc0a5269505af239a2d009ae5fcce6efd766f6d372d7f0a5b', 1790000058, false, NULL),
	(56, '\x654df2d17dcc75c1edb0440d3a9661f73267024dc07166a111ff4b5d943244c9', '\x028d3263c93e67dc2d197d3a3410314ed70176d507935f2180968b8455a0fdf9', 1790000059, false, NULL),
	(57, '\xa1a85d8945030490cb19610d6e68927c3a23457d096b640104167b8fba39c01a', '\x654df2d17dcc75c1edb0440d3a9661f73267024dc07166a111ff4b5d943244c9', 1790000060, false, NULL),
	(58, '\xbadcee16c7ecf03d6927e565490f4b27ec914b114c1d352bd4425e0947d9e0c1', '\xa1a85d8945030490cb19610d6e68927c3a23457d096b640104167b8fba39c01a', 1790000061, false, NULL),
	(59, '\x3f8331333b50a97b30254fd58bc6a4ae8c92721553fb3f942b43ef2232592a9b', '\xbadcee16c7ecf03d6927e565490f4b27ec914b114c1d352bd4425e0947d9e0c1', 1790000062, false, NULL),
	(60, '\xc5da9f7aba009cd3d2357353f80b1ef6e48396f2e0038fd11841fde74cf6bb2d', '\x3f8331333b50a97b30254fd58bc6a4ae8c92721553fb3f942b43ef2232592a9b', 1790000067, false, NULL),
	(61, '\x0a7a1b416c531c54ceacdcd9c3f9565a12031f3f5c1a5129f1df1633ec27abc5', '\xc5da9f7aba009cd3d2357353f80b1ef6e48396f2e0038fd11841fde74cf6bb2d', 1790000068, false, NULL),
	(62, '\x0df44ff6503b7371dbba1522890dc6fcc4f484d9d756d2aa437342066bdcd41c', '\x0a7a1b416c531c54ceacdcd9c3f9565a12031f3f5c1a5129f1df1633ec27abc5', 1790000069, false, NULL);


--
-- Data for Name: block_undo; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block_undo VALUES
	(60, 1, 'token', NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,ALP,Alpha,18,1000000000000000000000000000,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8",,1790000005,2,"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04",,,,,"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",,1,,0.00000000072045903927572893028,0.00000000072045903927572893028,0.00000000072045903927572893028,0.00000000033284516043136732712,0.00000000072045903927572893028,,1790000009,0.72045903927572893028,0.3366,3,2,1790000009,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,1790000012,1790000307,3,3,3,29,50,850000000000000,0,,,bonding,16.83,168300000000000000,1000000000000000000,,,,,,1795856167198,6,1795856167198,,1790000007,0,343683233191049727321742039,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 2, 'pool', NULL, NULL, '("\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,curve,"\\x5fbdb2315678afecb367f032d93f642f64180aa3",t,100,656316766808950272678257961,168300000000000000,,,,0.00000000072045903927572893028,2,,6,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 3, 'balance', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 4, 'balance', NULL, NULL, NULL, NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",656316766808950272678257961,curve,6,0,0,0,0,0,0,0,0,,,0,0,,,,0)', NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 5, 'early_class', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","class":"creator"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 6, 'candle', '{"time":1790000040,"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":60}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 7, 'creator_fee', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8","\\x5fbdb2315678afecb367f032d93f642f64180aa3",token,"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",850000000000000,0,6,)', NULL, NULL, NULL),
	(60, 8, 'trader', '{"maker":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 9, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000012,2,1,0,1,2.336599999999998432,6,1181185674432824821,2)', NULL),
	(60, 10, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,6,1181185674432824821)'),
	(61, 1, 'token', NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b",reference,BET,Beta,18,1000000000000000000000000000,"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",,1790000006,3,"\\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789",,,,,"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",,1,,0.0000000048062841166289442185,0.0000000048062841166289442185,0.0000000048062841166289442185,0.00000000033284516043136732712,0.0000000048062841166289442185,,1790000011,4.8062841166289442185,1.999999999999998432,3,4,1790000011,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1790000012,1790000306,3,3,3,58,50,5055955487402962,0,,,migrated,100,1000000000000000000,1000000000000000000,1790000011,1790000012,"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",0.0000000048062841166289442185,"\\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f",1795856167198,9,1795856167198,,1790000011,231880989664891951580734712,558750589282476469846235255,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 2, 'pool', NULL, NULL, '("\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","\\x6743e5c6e1b453372507e8dfd6ca53508721425b",reference,uniswap-v3,"\\x5fbdb2315678afecb367f032d93f642f64180aa3",f,100,208060941828254847501000695,999999999999999216,1142812188864087036860791066263552,191542,14424317724878873712066,0.0000000048062841166289442185,9,,9,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 3, 'balance', NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b","\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",208060941828254847501000695,pool,9,0,0,0,0,0,0,0,0,,,0,0,,,,0)', NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 4, 'balance', NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b","\\x90f79bf6eb2c4f870365e785982e1f101e93b906",558750589282476469846235255,wallet,8,1,0,558750589282476469846235255,0,910648792703815373,,0,0,910648792703815373,,0,0,1790000011,1790000011,,2)', NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 5, 'early_class', NULL, NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b",sniper,1,558750589282476469846235255,0)', NULL, NULL, NULL, NULL, NULL),
	(61, 6, 'candle', '{"time":1790000040,"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":60}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 7, 'trader', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '("\\x90f79bf6eb2c4f870365e785982e1f101e93b906",1790000007,1790000011,4,1080648792703815373,2,0,0,0,0)', NULL, NULL),
	(61, 8, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000067,2,1,0,1,2.395999999999998432,7,1211185674432824821,3)', NULL),
	(61, 9, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,7,1211185674432824821)'),
	(62, 1, 'token', NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,ALP,Alpha,18,1000000000000000000000000000,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8",,1790000005,2,"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04",,,,,"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",,1,,0.0000000008042069498069498064,0.0000000008042069498069498064,0.0000000008042069498069498064,0.00000000033284516043136732712,0.0000000008042069498069498064,,1790000067,0.8042069498069498064,0.396,4,3,1790000067,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,1790000067,1790000307,4,4,4,58,50,1000000000000000,0,,,bonding,19.8,198000000000000000,1000000000000000000,,,,,,1795856168200,60,1795856168200,,1790000007,39018259346263706104971535,343683233191049727321742039,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 2, 'balance', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 3, 'balance', NULL, NULL, NULL, NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","\\x90f79bf6eb2c4f870365e785982e1f101e93b906",343683233191049727321742039,wallet,6,3,0,343683233191049727321742039,0,170000000000000000,,0,0,170000000000000000,,0,0,1790000007,1790000009,,2)', NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 4, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000068,2,1,0,1,2.795999999999998432,8,1411185674432824821,3)', NULL),
	(62, 5, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,8,1411185674432824821)');


--
-- Data for Name: candle; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.candle VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1789999980, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 300, 1789999800, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 900, 1789999200, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 3600, 1789999200, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 14400, 1789992000, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 86400, 1789948800, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1789999980, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 300, 1789999800, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 900, 1789999200, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 3600, 1789999200, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 14400, 1789992000, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 86400, 1789948800, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1790000040, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 30000000000000000, 1, 39018259346263706104971535, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1790000040, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 200000000000000000, 1, 34387367681130600839064581, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT);


--
-- Data for Name: chain_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chain_state VALUES
	(1, 31337, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\x5fbdb2315678afecb367f032d93f642f64180aa3', '[{"name": "reference", "adapter": "bonding-curve", "version": 3, "contracts": {"factory": "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707"}, "startBlock": 1}]', '964ba03b-e099-42a3-85f6-da5f5a40da63', 62, '\x0df44ff6503b7371dbba1522890dc6fcc4f484d9d756d2aa437342066bdcd41c', 1790000069, 1795856168629, 59, 15, NULL, '[]', '[]', NULL, 1790000040);


--
-- Data for Name: creator_fee; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.creator_fee VALUES
	('reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', '\x5fbdb2315678afecb367f032d93f642f64180aa3', 'token', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 5055955487402962, 0, 8, NULL),
	('reference', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', '\x5fbdb2315678afecb367f032d93f642f64180aa3', 'token', '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1000000000000000, 0, 60, NULL);


--
-- Data for Name: currency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.currency VALUES
	('\x5fbdb2315678afecb367f032d93f642f64180aa3', 'WETH', 18, true, NULL),
	('\x0000000000000000000000000000000000000000', 'ETH', 18, true, NULL);


--
-- Data for Name: dropped_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: early_class; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.early_class VALUES
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'sniper', 1, 343683233191049727321742039, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'creator', 1, 232880989664891951580734712, 1000000000000000000000000),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'creator', 1, 39018259346263706104971535, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'sniper', 1, 593137956963607070685299836, 0);


--
-- Data for Name: holder_code; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.holder_code VALUES
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', false),
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', false);


--
-- Data for Name: index_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.index_totals VALUES
	(1, 1790000069, 2, 1, 0, 1, 2.795999999999998432, 8, 1411185674432824821, 3);


--
-- Data for Name: join_exit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.join_exit VALUES
	(9, 9, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', '\x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0', 208060941828254847501000695, 999999999999999216, 208060941828254847501000695, 999999999999999216, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000012),
	(9, 15, '\x8efa1819ff5b279077368d44b593a4543280e402', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', -209368421052631578573030033, -1000000000000000000, 0, 0, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000012);


--
-- Data for Name: launchpad_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.launchpad_totals VALUES
	('reference', 2, 1, 0, 1, 8, 1411185674432824821);


--
-- Data for Name: leader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader VALUES
	('24h', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('24h', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('24h', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('24h', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('7d', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('7d', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('7d', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('7d', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('30d', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('30d', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('30d', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('30d', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('all', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('all', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000010),
	('all', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011),
	('all', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000011);


--
-- Data for Name: leader_window; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader_window VALUES
	('24h', 2, 51),
	('7d', 2, 52),
	('30d', 2, 53),
	('all', -1, 53);


--
-- Data for Name: metadata; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: metadata_waiting; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: mikro_orm_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mikro_orm_migrations VALUES
	(1, 'Migration0001Schema', '2026-11-28 08:56:05.512701+00');


--
-- Data for Name: milestone; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.milestone VALUES
	('launch', 2, 1, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', NULL),
	('launch', 3, 6, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', NULL),
	('graduation', 8, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'completed'),
	('graduation', 9, 15, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'migrated');


--
-- Data for Name: pool; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pool VALUES
	('\x8efa1819ff5b279077368d44b593a4543280e402', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'curve', '\x5fbdb2315678afecb367f032d93f642f64180aa3', false, 100, 0, 0, NULL, NULL, NULL, 0.0000000048062841166289442185, 3, NULL, 8, NULL, NULL),
	('\x61c36a8d610163660e21a8b7359e1cac0c9133e1', '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'reference', 'curve', '\x5fbdb2315678afecb367f032d93f642f64180aa3', true, 100, 617298507462686566573286426, 198000000000000000, NULL, NULL, NULL, 0.0000000008042069498069498064, 2, NULL, 60, NULL, NULL),
	('\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'uniswap-v3', '\x5fbdb2315678afecb367f032d93f642f64180aa3', false, 100, 173673574147124246661936114, 1199999999999999216, 953933379686216224424695457784357, 187929, 14424317724878873712066, 0.0000000068979981893223272581, 9, NULL, 61, NULL, NULL);


--
-- Data for Name: pool_creation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pool_creation VALUES
	('\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 2, 1, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', 0, 1790000005),
	('\x8efa1819ff5b279077368d44b593a4543280e402', 3, 5, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000006),
	('\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 9, 4, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000012);


--
-- Data for Name: pool_tick; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: reorg; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'BET', 'Beta', 18, 1000000000000000000000000000, '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', NULL, 1790000006, 3, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', NULL, NULL, NULL, NULL, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', NULL, 1, NULL, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, NULL, 1790000068, 6.8979981893223272581, 2.399999999999998432, 4, 4, 1790000068, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1790000068, 1790000306, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 5055955487402962, 0, NULL, NULL, 'migrated', 100, 1000000000000000000, 1000000000000000000, 1790000011, 1790000012, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 0.0000000048062841166289442185, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 1795856168288, 61, 1795856168288, NULL, 1790000011, 231880989664891951580734712, 593137956963607070685299836, 0, 0, NULL, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'reference', 'ALP', 'Alpha', 18, 1000000000000000000000000000, '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', NULL, 1790000005, 2, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', NULL, NULL, NULL, NULL, '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', NULL, 1, NULL, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, NULL, 1790000067, 0.8042069498069498064, 0.396, 4, 4, 1790000067, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 1790000069, 1790000307, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 1000000000000000, 0, NULL, NULL, 'bonding', 19.8, 198000000000000000, 1000000000000000000, NULL, NULL, NULL, NULL, NULL, 1795856168629, 62, 1795856168629, NULL, 1790000007, 39018259346263706104971535, 343683133191049727321742039, 0, 0, NULL, NULL);


--
-- Data for Name: token_name; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token_name VALUES
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'Alpha'),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'Beta');


--
-- Data for Name: trade; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade VALUES
	(3, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\xd43bd5f7252b146ac632f3139f21d6599930ab32cc178f0e871d80e4580e984e', '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000006, NULL, NULL),
	(7, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'sell', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1000000000000000000000000, NULL, NULL, 536881729009448, 5423047767772, 0.00000000054230477677722, 0.00000000054166003474890584728, NULL, NULL, NULL, NULL, 768119010335108048419265288, 98457695223222780, '\x0b70c6dd0071c8483027ee299cd9ba2f2aaef90956af894353d81b66fde9a8c4', '\x971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0', 1, 1790000010, 107477851329709, NULL),
	(8, 4, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 558750589282476469846235255, NULL, NULL, 910648792703815373, 9106487927038153, 0.0000000016134968303738151965, 0.0000000048062841166289442185, NULL, NULL, NULL, NULL, 209368421052631578573030033, 1000000000000000000, '\xc16d6b5762e2ab47c3c7b3b7af1003fe2e5f93b3da5ad26c90370de1a3bfad75', '\x884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a', 0, 1790000011, NULL, NULL),
	(4, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\x5aed67abbb26575ed26b14d7fef2133970fb6c0f0932e7f4533264d9c73c6d3d', '\xee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b', 0, 1790000007, NULL, NULL),
	(5, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 82243604204298612592382270, NULL, NULL, 50000000000000000, 500000000000000, 0.00000000060187050991878578015, 0.00000000066718467580881373919, NULL, NULL, NULL, NULL, 684875406130809435826883018, 148500000000000000, '\xc324d18e1c954a8afb109df029cc79947228870ee61f1990cd62a37841d8227a', '\x2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9', 0, 1790000008, NULL, NULL),
	(6, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 28558639321859163148625057, NULL, NULL, 20000000000000000, 200000000000000, 0.0000000006933103421648249228, 0.00000000072045903927572893028, NULL, NULL, NULL, NULL, 656316766808950272678257961, 168300000000000000, '\x7f98b6efb78875830f6bdfa613ecd5d3e8793659b2328663bd204a865dd59670', '\xa11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2', 0, 1790000009, NULL, NULL),
	(60, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, NULL, NULL, 30000000000000000, 300000000000000, 0.00000000076118208494208494149, 0.0000000008042069498069498064, NULL, NULL, NULL, NULL, 617298507462686566573286426, 198000000000000000, '\xc5da9f7aba009cd3d2357353f80b1ef6e48396f2e0038fd11841fde74cf6bb2d', '\x76573ea5ed2f276bfb2b103150dc6656bb92ebe86f1930d21af6a0cd6dbc3238', 0, 1790000067, NULL, NULL),
	(61, 3, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 'pool', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 34387367681130600839064581, NULL, NULL, 200000000000000000, 2000000000000000, 0.0000000057579283717214751737, 0.0000000068979981893223272581, NULL, NULL, NULL, NULL, 173673574147124246661936114, 1199999999999999216, '\x0a7a1b416c531c54ceacdcd9c3f9565a12031f3f5c1a5129f1df1633ec27abc5', '\xff78ae385186bebc48751cc25f482719101d4b5e53dfbb06062c4cbaeafd77d5', 0, 1790000068, NULL, NULL);


--
-- Data for Name: trader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trader VALUES
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1790000006, 1790000010, 2, 100536881729009448, 1, 107477851329709, 0, 0, 1),
	('\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 1790000067, 1790000067, 1, 30000000000000000, 1, 0, 0, 0, 0),
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', 1790000007, 1790000068, 5, 1280648792703815373, 2, 0, 0, 0, 0);


--
-- Data for Name: uncollected_fee; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: value_change; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.value_change VALUES
	(9, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000012, NULL, 0.00000000072045903927572893028, NULL, NULL, NULL, 0.72045903927572893028, NULL, NULL, NULL, 16.83, NULL, 2),
	(9, 1, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 1790000012, NULL, 0.0000000048062841166289442185, NULL, NULL, NULL, 4.8062841166289442185, NULL, NULL, NULL, 100, NULL, 4),
	(60, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000067, 0.00000000072045903927572893028, 0.0000000008042069498069498064, NULL, NULL, 0.72045903927572893028, 0.8042069498069498064, NULL, NULL, 16.83, 19.8, 2, 3),
	(61, 0, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 1790000068, 0.0000000048062841166289442185, 0.0000000068979981893223272581, NULL, NULL, 4.8062841166289442185, 6.8979981893223272581, NULL, NULL, 100, 100, 4, 4),
	(62, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000069, 0.0000000008042069498069498064, 0.0000000008042069498069498064, NULL, NULL, 0.8042069498069498064, 0.8042069498069498064, NULL, NULL, 19.8, 19.8, 3, 4);


--
-- Data for Name: webhook_position; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chain; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.chain VALUES
	(31337, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868');


--
-- Data for Name: fact; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--



--
-- Data for Name: range; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.range VALUES
	(1, 1, 9, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\xe4e833a17f1187ff226ad70eaae84c7354a383cc5f54484e220865931eebc56e', '\x1400000000000000015fc8d32690cc91d4c39d9d3abcbd16989f87570714000000000000000223db4a08f2272df049a4932a4cc3a6dc1002b33e14000000000000000261c36a8d610163660e21a8b7359e1cac0c9133e11400000000000000036743e5c6e1b453372507e8dfd6ca53508721425b1400000000000000038efa1819ff5b279077368d44b593a4543280e40214000000000000000978cb2ce9d9faf59ec49246b50ae814db4527fc10', 29, '\x28b52ffd00582542008471090181f7c4d5069d12aff4596589f18c1a06bcf8fcc0ab66cf55d718808ec6e12b60d7ce59f502b1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa8680285f7c4d506ac2afd3b06f9b461c937fa82bca51ba5868ab3e53d11f7927e7bbdce15a96cf10386f7c4d506d43bd5f7252b146ac632f3139f21d6599930ab32cc178f0e871d80e4580e984e0487f7c4d5065aed67abbb26575ed26b14d7fef2133970fb6c0f0932e7f4533264d9c73c6d3d0588f7c4d506c324d18e1c954a8afb109df029cc79947228870ee61f1990cd62a37841d8227a0689f7c4d5067f98b6efb78875830f6bdfa613ecd5d3e8793659b2328663bd204a865dd59670078af7c4d5060b70c6dd0071c8483027ee299cd9ba2f2aaef90956af894353d81b66fde9a8c4088bf7c4d506c16d6b5762e2ab47c3c7b3b7af1003fe2e5f93b3da5ad26c90370de1a3bfad75098cf7c4d506e4e833a17f1187ff226ad70eaae84c7354a383cc5f54484e220865931eebc56e0623db4a08f2272df049a4932a4cc3a6dc1002b33e5fc8d32690cc91d4c39d9d3abcbd16989f8757076743e5c6e1b453372507e8dfd6ca53508721425b8efa1819ff5b279077368d44b593a4543280e40261c36a8d610163660e21a8b7359e1cac0c9133e178cb2ce9d9faf59ec49246b50ae814db4527fc1018ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef007cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd800000070997970c51812dc3a010c7d01b50e0d17dc79c8b17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00005fbdb2315678afecb367f032d93f642f64180aa36d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da60090f79bf6eb2c4f870365e785982e1f101e93b906bbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3dfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd000098636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c9500007a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde009fe46736679d2d9a65f0992f2272de9f3c7fa6e0fff27660000d89a000dead487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e237408c49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c044e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789ee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9a11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f1d0100000000030001022000033b2e3c9fd0803ce800000001000001010403040502c0030001200001000104f4d3894e116db6037790968dc8efffd1000de0b6b3a7641388000005416c70686103414c500201000002030001060201000301040708090a2001c6bf52634000020100040203000609c0a277bf0b0f49e75064f80201000503030b0909e001016345785d8a038d7ea4c68006548b8306d4ed02b6ee1ecebde0b5e9af9b08015fb7f9b8c380027a8bc4e0c570f300af9b08020100060104030809060442657400034245540003020002010407040503020003000300020c0302000404030b0c0c040300e35fa931a00004034407c2b7b277504b7c913e040300b1a2bc2ec50704677fe336ad72e65c170b69659e3309ca020f93f69525403684022912f9a2b53309ca05045af3107a40000504179f86f096b2ebce89a4a10504470de4df8200b5e620f4804abf7ea1c42d5b46d52674b679cfa9652955ebf553b2c01ee47b387c46b6e6a9652906050101020300090000d3c21bcecceda100000006050104000277536afb6e0605010503030d01e84a84be772804eea6d5f6dc0006529e49db407fb20002b7c1e0ea8cada38a5dcac08d2f11fc7b5f86fc943de0a1af9b080706102d26b90570640706000301ce300a238db1d9926b587707060004030ca346408c3fcecd205a4d720ae0c912d58a3cf5756d00e991d6c6fefbc9f8444291ad2f7cd9068c070f4442910706000503010e2008070002020300060f200807000405011040385851566aebe35e1a3a90a102ec36080700080203000f11ac1a9e41c95b3688dedff7080700090504121314158001030df19ee37777f255c263fcf00e0203000f160114de973d30d08665629a0807000f010317081100018086a8410922862865909919094464142ca40310031121d2e612c030200641408e43188204616892679c23064184129182826ae92fdd591c1efa9810b98f797cc261aa166a32624ac3db5b87d73f9e3520ebd1a74222b05e594c9bc71c3546ff28889b98002fecc3da990fc8060c2725f6faaca09732a32079639be954fb2c844ceef335bbbff8ba5e97513a1f9599e034b69bc5b9b9a4412146749dfacae41e22e46fed1e6f0f0b6392f6c0b907c427e7be5811a8c55d0eb30bb0682686403f3f08af317d16c60c19dbfaa035e7643115cb7bb720ca58aea17681149017879105c7c76e2d8e6d1f675d33e965d50dba01898bbc0f119e2088242aab8e2ac4fc26402afb306c607546a099c15438528e436874804a7044b43620d40dadd11aadd11aadd16eb44dfbfa0f');


--
-- Data for Name: run; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.run OVERRIDING SYSTEM VALUE VALUES
	(1, '{"kind":"addresses","topics":["0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c","0x1c73a493cbfb6dbead42ab77fa32a3724c98b330d61a93372dd92239d0da426d","0x205860e66845f2bbc0966bfab80db9bf93fca93862ea2b9fcf6945748352b4a3","0x487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e2374","0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151","0x6d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da6","0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0","0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde","0x7cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd8","0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95","0xb17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6","0xbbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3","0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633","0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67","0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0xdfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd"],"isProven":false}');


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 1, true);


--
-- Name: run_id_seq; Type: SEQUENCE SET; Schema: tokenwire_logs; Owner: -
--

SELECT pg_catalog.setval('tokenwire_logs.run_id_seq', 1, true);


--
-- Name: announced_contract announced_contract_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.announced_contract
    ADD CONSTRAINT announced_contract_pkey PRIMARY KEY (address);


--
-- Name: balance balance_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (token, holder);


--
-- Name: block block_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.block
    ADD CONSTRAINT block_pkey PRIMARY KEY (number);


--
-- Name: block_undo block_undo_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.block_undo
    ADD CONSTRAINT block_undo_pkey PRIMARY KEY (block_number, "position");


--
-- Name: candle candle_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.candle
    ADD CONSTRAINT candle_pkey PRIMARY KEY ("time", token, interval_seconds);


--
-- Name: chain_state chain_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_state
    ADD CONSTRAINT chain_state_pkey PRIMARY KEY (id);


--
-- Name: creator_fee creator_fee_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.creator_fee
    ADD CONSTRAINT creator_fee_pkey PRIMARY KEY (launchpad, creator, currency, token);


--
-- Name: currency currency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.currency
    ADD CONSTRAINT currency_pkey PRIMARY KEY (address);


--
-- Name: dropped_token dropped_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dropped_token
    ADD CONSTRAINT dropped_token_pkey PRIMARY KEY (address);


--
-- Name: early_class early_class_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.early_class
    ADD CONSTRAINT early_class_pkey PRIMARY KEY (token, class);


--
-- Name: holder_code holder_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.holder_code
    ADD CONSTRAINT holder_code_pkey PRIMARY KEY (holder);


--
-- Name: index_totals index_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.index_totals
    ADD CONSTRAINT index_totals_pkey PRIMARY KEY (id);


--
-- Name: join_exit join_exit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.join_exit
    ADD CONSTRAINT join_exit_pkey PRIMARY KEY (block_number, log_index, pool);


--
-- Name: launchpad_totals launchpad_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.launchpad_totals
    ADD CONSTRAINT launchpad_totals_pkey PRIMARY KEY (launchpad);


--
-- Name: leader leader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leader
    ADD CONSTRAINT leader_pkey PRIMARY KEY (period, launchpad, maker);


--
-- Name: leader_window leader_window_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leader_window
    ADD CONSTRAINT leader_window_pkey PRIMARY KEY (period);


--
-- Name: metadata metadata_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metadata
    ADD CONSTRAINT metadata_pkey PRIMARY KEY (key);


--
-- Name: metadata_waiting metadata_waiting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metadata_waiting
    ADD CONSTRAINT metadata_waiting_pkey PRIMARY KEY (key, token);


--
-- Name: mikro_orm_migrations mikro_orm_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations
    ADD CONSTRAINT mikro_orm_migrations_pkey PRIMARY KEY (id);


--
-- Name: milestone milestone_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.milestone
    ADD CONSTRAINT milestone_pkey PRIMARY KEY (kind, block_number, log_index);


--
-- Name: pool_creation pool_creation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool_creation
    ADD CONSTRAINT pool_creation_pkey PRIMARY KEY (pool);


--
-- Name: pool pool_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool
    ADD CONSTRAINT pool_pkey PRIMARY KEY (address);


--
-- Name: pool_tick pool_tick_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool_tick
    ADD CONSTRAINT pool_tick_pkey PRIMARY KEY (pool, tick);


--
-- Name: reorg reorg_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reorg
    ADD CONSTRAINT reorg_pkey PRIMARY KEY (number);


--
-- Name: token_name token_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token_name
    ADD CONSTRAINT token_name_pkey PRIMARY KEY (token);


--
-- Name: token token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (address);


--
-- Name: trade trade_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade
    ADD CONSTRAINT trade_pkey PRIMARY KEY (block_number, log_index);


--
-- Name: trader trader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trader
    ADD CONSTRAINT trader_pkey PRIMARY KEY (maker);


--
-- Name: uncollected_fee uncollected_fee_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uncollected_fee
    ADD CONSTRAINT uncollected_fee_pkey PRIMARY KEY (token);


--
-- Name: value_change value_change_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.value_change
    ADD CONSTRAINT value_change_pkey PRIMARY KEY (block_number, log_index);


--
-- Name: webhook_position webhook_position_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_position
    ADD CONSTRAINT webhook_position_pkey PRIMARY KEY (name);


--
-- Name: fact fact_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.fact
    ADD CONSTRAINT fact_pkey PRIMARY KEY (key);


--
-- Name: range range_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.range
    ADD CONSTRAINT range_pkey PRIMARY KEY (run, from_block);


--
-- Name: run run_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);


--
-- Name: balance_by_holder; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_by_holder ON public.balance USING btree (holder, last_changed_block, token) INCLUDE (balance) WHERE (balance > (0)::numeric);


--
-- Name: balance_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_by_size ON public.balance USING btree (token, ((- balance)), holder) INCLUDE (balance, type) WHERE (balance > (0)::numeric);


--
-- Name: balance_out_of_circulation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_out_of_circulation ON public.balance USING btree (token) INCLUDE (balance, type) WHERE (type = ANY (ARRAY['burn'::text, 'locker'::text]));


--
-- Name: candle_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX candle_by_time ON public.candle USING btree (token, interval_seconds, in_usd, "time") INCLUDE (open, high, low, close, volume_wei, trades, volume_token, open_quote, high_quote, low_quote, close_quote, volume_quote, open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd);


--
-- Name: creator_fee_by_creator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX creator_fee_by_creator ON public.creator_fee USING btree (creator, token, launchpad, currency);


--
-- Name: currency_by_read_again; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX currency_by_read_again ON public.currency USING btree (read_again_at_ms) WHERE (read_again_at_ms IS NOT NULL);


--
-- Name: currency_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX currency_unread ON public.currency USING btree (address) WHERE (NOT is_read);


--
-- Name: early_trader_by_balance; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_balance ON public.balance USING btree (token, balance, holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_bought ON public.balance USING btree (token, COALESCE(bought_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_realized ON public.balance USING btree (token, COALESCE(realized_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_sold ON public.balance USING btree (token, COALESCE(sold_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_volume ON public.balance USING btree (token, COALESCE((bought_wei + sold_wei), '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: leader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_bought ON public.leader USING btree (period, launchpad, bought_wei, maker);


--
-- Name: leader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_realized ON public.leader USING btree (period, launchpad, realized_wei, maker);


--
-- Name: leader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_sold ON public.leader USING btree (period, launchpad, sold_wei, maker);


--
-- Name: leader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_volume ON public.leader USING btree (period, launchpad, ((bought_wei + sold_wei)), maker);


--
-- Name: metadata_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX metadata_due ON public.metadata USING btree (lane, attempts, next_attempt_at_ms) WHERE (next_attempt_at_ms IS NOT NULL);


--
-- Name: metadata_unannounced; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX metadata_unannounced ON public.metadata USING btree (key) WHERE (state = 'read'::text);


--
-- Name: pool_by_quote; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_by_quote ON public.pool USING btree (quote_token);


--
-- Name: pool_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_by_token ON public.pool USING btree (token);


--
-- Name: pool_creation_by_block; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_creation_by_block ON public.pool_creation USING btree (block_number);


--
-- Name: pool_tick_set; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_tick_set ON public.pool_tick USING btree (pool, tick) INCLUDE (liquidity) WHERE (liquidity <> (0)::numeric);


--
-- Name: token_by_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_created_at ON public.token USING btree (launchpad, graduation_status, created_at, address);


--
-- Name: token_by_creator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_creator ON public.token USING btree (creator, launchpad, graduation_status, address) INCLUDE (created_at, market_cap_weth, volume_m5, volume_h1, volume_h24, price_change_m5, price_change_h1, price_change_h24, liquidity_weth, holder_count, trades_m5, trades_h1, trades_h24, last_trade_at, graduation_percent, migrated_at, trending);


--
-- Name: token_by_graduation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_graduation ON public.token USING btree (launchpad, graduation_status, graduation_percent, address);


--
-- Name: token_by_holder_count; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_holder_count ON public.token USING btree (launchpad, graduation_status, holder_count, address);


--
-- Name: token_by_last_trade_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_last_trade_at ON public.token USING btree (launchpad, graduation_status, last_trade_at, address);


--
-- Name: token_by_liquidity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_liquidity ON public.token USING btree (launchpad, graduation_status, liquidity_weth, address);


--
-- Name: token_by_market_cap; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_market_cap ON public.token USING btree (launchpad, graduation_status, market_cap_weth, address);


--
-- Name: token_by_migrated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_migrated_at ON public.token USING btree (launchpad, graduation_status, migrated_at, address);


--
-- Name: token_by_name_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_name_prefix ON public.token USING btree (lower(name) text_pattern_ops);


--
-- Name: token_by_price_change_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_h1 ON public.token USING btree (launchpad, graduation_status, price_change_h1, address);


--
-- Name: token_by_price_change_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_h24 ON public.token USING btree (launchpad, graduation_status, price_change_h24, address);


--
-- Name: token_by_price_change_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_m5 ON public.token USING btree (launchpad, graduation_status, price_change_m5, address);


--
-- Name: token_by_quote; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_quote ON public.token USING btree (quote_token, COALESCE(quote_rate, quote_usd), address) WHERE (quote_token IS NOT NULL);


--
-- Name: token_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_size ON public.token USING btree (market_cap_weth DESC NULLS LAST, address);


--
-- Name: token_by_surface; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_surface ON public.token USING btree (surface, launchpad, graduation_status, address) WHERE (surface IS NOT NULL);


--
-- Name: token_by_symbol; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_symbol ON public.token USING btree (lower(symbol) text_pattern_ops, market_cap_weth DESC NULLS LAST, address);


--
-- Name: token_by_trades_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_h1 ON public.token USING btree (launchpad, graduation_status, trades_h1, address);


--
-- Name: token_by_trades_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_h24 ON public.token USING btree (launchpad, graduation_status, trades_h24, address);


--
-- Name: token_by_trades_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_m5 ON public.token USING btree (launchpad, graduation_status, trades_m5, address);


--
-- Name: token_by_trending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trending ON public.token USING btree (launchpad, graduation_status, trending, address);


--
-- Name: token_by_updated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_updated_at ON public.token USING btree (updated_at_ms);


--
-- Name: token_by_volume_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_h1 ON public.token USING btree (launchpad, graduation_status, volume_h1, address);


--
-- Name: token_by_volume_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_h24 ON public.token USING btree (launchpad, graduation_status, volume_h24, address);


--
-- Name: token_by_volume_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_m5 ON public.token USING btree (launchpad, graduation_status, volume_m5, address);


--
-- Name: token_by_windows_expire_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_windows_expire_at ON public.token USING btree (windows_expire_at) WHERE (windows_expire_at IS NOT NULL);


--
-- Name: token_name_by_suffix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_name_by_suffix ON public.token_name USING btree (reverse(lower(name)) text_pattern_ops);


--
-- Name: token_name_by_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_name_by_words ON public.token_name USING gin (to_tsvector('simple'::regconfig, name)) WITH (fastupdate=off);


--
-- Name: trade_by_maker; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_maker ON public.trade USING btree (token, maker, side, block_number, log_index);


--
-- Name: trade_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_size ON public.trade USING btree (width_bucket(amount_wei, '{100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[]), block_number, log_index) WHERE (amount_wei >= ('100000000000000000'::bigint)::numeric);


--
-- Name: trade_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token ON public.trade USING btree (token, side, block_number, log_index);


--
-- Name: trade_by_token_amount; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_amount ON public.trade USING btree (token, ((side = 'buy'::text)), amount_wei, block_number, log_index) WHERE (amount_wei IS NOT NULL);


--
-- Name: trade_by_token_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_size ON public.trade USING btree (token, ((width_bucket(amount_wei, '{100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[]))::smallint), block_number, log_index) WHERE (amount_wei >= ('100000000000000000'::bigint)::numeric);


--
-- Name: trade_by_token_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_time ON public.trade USING btree (token, "timestamp", block_number, log_index);


--
-- Name: trade_by_wallet; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_wallet ON public.trade USING btree (maker, side, block_number, log_index);


--
-- Name: trader_by_balance; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_balance ON public.balance USING btree (token, balance, holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_bought ON public.balance USING btree (token, COALESCE(bought_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_last_trade_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_last_trade_at ON public.trader USING btree (last_trade_at);


--
-- Name: trader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_realized ON public.balance USING btree (token, COALESCE(realized_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_sold ON public.balance USING btree (token, COALESCE(sold_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_volume ON public.balance USING btree (token, COALESCE((bought_wei + sold_wei), '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: range range_run_fkey; Type: FK CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.range
    ADD CONSTRAINT range_run_fkey FOREIGN KEY (run) REFERENCES tokenwire_logs.run(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict 6PZ6etGc4Lmze6BOc1WaeCGaecLdaTeV1x1QWNtyxWuWEoIZGN6371cXKtBgW9I

