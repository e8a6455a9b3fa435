--
-- PostgreSQL database dump
--

\restrict Jc5PM8iJxUBgjs2Hk00Oc2bu6HlFCEMuI5Mfffqb9qttdAtncw0Vby7Zr4KKlpP

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
-- Name: block_undo; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.block_undo (
    block_number bigint NOT NULL,
    "position" integer NOT NULL,
    table_name text NOT NULL,
    existed boolean NOT NULL,
    image json NOT NULL,
    CONSTRAINT block_undo_table_name_check CHECK ((table_name = ANY (ARRAY['token'::text, 'pool'::text, 'pool_tick'::text, 'balance'::text, 'candle'::text, 'creator_fee'::text, 'trader'::text, 'index_totals'::text, 'launchpad_totals'::text])))
)
WITH (toast_tuple_target='8160');


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
    CONSTRAINT chain_state_id_check CHECK ((id = 1))
);


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

COMMENT ON TABLE public.mikro_orm_migrations IS 'Tokenwire 0.1.0';


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
-- Name: pool_tick; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool_tick (
    pool bytea NOT NULL,
    tick integer NOT NULL,
    liquidity numeric NOT NULL
);


--
-- Name: reorg; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reorg (
    number bigint NOT NULL,
    from_block bigint NOT NULL
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
    CONSTRAINT token_graduation_status_check CHECK ((graduation_status = ANY (ARRAY['none'::text, 'bonding'::text, 'completed'::text, 'migrated'::text])))
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
    CONSTRAINT trade_phase_check CHECK ((phase = ANY (ARRAY['curve'::text, 'pool'::text]))),
    CONSTRAINT trade_side_check CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))
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
-- Name: uncollected_fee; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uncollected_fee (
    token bytea NOT NULL,
    token_amount numeric,
    quote_amount numeric,
    block_number bigint NOT NULL
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
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 0, 'curve', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 231880989664891951580734712, 'creator', 7, 1, 1, 232880989664891951580734712, 1000000000000000000000000, 100000000000000000, NULL, 536881729009448, NULL, 99570596122320261, NULL, 107477851329709, NULL, 1790000008, 1790000008, 1790000012),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x5fc8d32690cc91d4c39d9d3abcbd16989f875707', 0, 'locker', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x000000000000000000000000000000000000dead', 1307479224376731072029338, 'burn', 9, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, 'creator', 60, 1, 0, 39018259346263706104971535, 0, 30000000000000000, NULL, 0, 0, 30000000000000000, NULL, 0, 0, 1790000074, 1790000074, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 617298507462686566573286426, 'curve', 60, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 173673574147124246661936114, 'pool', 61, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 593137956963607070685299836, 'wallet', 61, 2, 0, 593137956963607070685299836, 0, 1110648792703815373, NULL, 0, 0, 1110648792703815373, NULL, 0, 0, 1790000013, 1790000075, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 100000000000000000000, 'wallet', 62, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 343683133191049727321742039, 'wallet', 62, 3, 0, 343683233191049727321742039, 0, 170000000000000000, NULL, 0, 0, 169999950535847088, NULL, 0, 0, 1790000009, 1790000011, NULL);


--
-- Data for Name: block; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block VALUES
	(9, '\x27343dd1d9d4590608cb31bc24b208da41f04bf594cc4bcd28714efb4e945144', '\x24cc207e2346ceede1e7cc4780aef33011933789817f8b3f0186efca8ad8b370', 1790000014, false, NULL),
	(10, '\xcee4bc8b84b9ef0a4222ea20ef9abe02e865f3e660527345b336dcb82c891f96', '\x27343dd1d9d4590608cb31bc24b208da41f04bf594cc4bcd28714efb4e945144', 1790000015, true, NULL),
	(11, '\xfefd321bcf4ef503ef44d07195318f4f4d61c7129d9f1504ad9484b0af896c01', '\xcee4bc8b84b9ef0a4222ea20ef9abe02e865f3e660527345b336dcb82c891f96', 1790000016, true, NULL),
	(12, '\x5238ec9d20bf9b4660ae3db09350ab94b73098326336a690afb22b5de07d8cc8', '\xfefd321bcf4ef503ef44d07195318f4f4d61c7129d9f1504ad9484b0af896c01', 1790000017, true, NULL),
	(13, '\x5e8ebfa6b1c128dece6559ba6ca0fa285cf65170de0743b7d968520e3a183471', '\x5238ec9d20bf9b4660ae3db09350ab94b73098326336a690afb22b5de07d8cc8', 1790000018, true, NULL),
	(14, '\x999f175131851f4505b379e2e402557ca3222db15be7753d420030aaf1db6317', '\x5e8ebfa6b1c128dece6559ba6ca0fa285cf65170de0743b7d968520e3a183471', 1790000019, true, NULL),
	(15, '\x2244b2016dfa77eb995a511bdd772bf0206f894ff9d80301f45df864d4e30ef0', '\x999f175131851f4505b379e2e402557ca3222db15be7753d420030aaf1db6317', 1790000020, true, NULL),
	(16, '\x7879e3d22d4d75816c81b7f0c33f73aaed4a819d5e9c67fecf52eb7bf9e08184', '\x2244b2016dfa77eb995a511bdd772bf0206f894ff9d80301f45df864d4e30ef0', 1790000021, true, NULL),
	(17, '\x3743f7f54dae3031cfdc2441e130f059093592777442a99aac8a2fad5457caeb', '\x7879e3d22d4d75816c81b7f0c33f73aaed4a819d5e9c67fecf52eb7bf9e08184', 1790000022, true, NULL),
	(18, '\x9143e66b273f99fef55c08b733811e60e984e3231b68352e55e479619a05a642', '\x3743f7f54dae3031cfdc2441e130f059093592777442a99aac8a2fad5457caeb', 1790000023, true, NULL),
	(19, '\x5a00418d849430d18da1c4f297f90afc69c0a23c3fd69b0e8c2dc4b39cf76c83', '\x9143e66b273f99fef55c08b733811e60e984e3231b68352e55e479619a05a642', 1790000024, true, NULL),
	(20, '\xf4f9eccaccef14aaef27bcad105e5f0d7acea976ef5c34f5a14f3dabf1d4a486', '\x5a00418d849430d18da1c4f297f90afc69c0a23c3fd69b0e8c2dc4b39cf76c83', 1790000025, true, NULL),
	(21, '\xa5def0251aecdf03ccaa633f3b01c4ecc6313043e77f1c227a7fd83eacd6e394', '\xf4f9eccaccef14aaef27bcad105e5f0d7acea976ef5c34f5a14f3dabf1d4a486', 1790000026, true, NULL),
	(22, '\x184c7c5ec754533ed7153e065dc1d82e32177c31f4f456156f643aacee79b31f', '\xa5def0251aecdf03ccaa633f3b01c4ecc6313043e77f1c227a7fd83eacd6e394', 1790000027, true, NULL),
	(23, '\x2a8ac823081d4be8227d746045525cf671111fa7c7cfebdf8f85d100852d4d67', '\x184c7c5ec754533ed7153e065dc1d82e32177c31f4f456156f643aacee79b31f', 1790000028, true, NULL),
	(24, '\x8d21f16766f94e72cd98cb04cf3fd42e1dea7d2d6b5705a56bd1c5dd5dbc85e2', '\x2a8ac823081d4be8227d746045525cf671111fa7c7cfebdf8f85d100852d4d67', 1790000029, true, NULL),
	(25, '\xe7510c86ab4b4266b621f8c3b152a015510ebe54267c275adda5ff342994254c', '\x8d21f16766f94e72cd98cb04cf3fd42e1dea7d2d6b5705a56bd1c5dd5dbc85e2', 1790000030, true, NULL),
	(26, '\x530449d37c2549fa5c808866ab2e563eace290cf6be4a52d89f6c72edd245a84', '\xe7510c86ab4b4266b621f8c3b152a015510ebe54267c275adda5ff342994254c', 1790000031, true, NULL),
	(27, '\x4a18a21f646c1be6643e4b99edb5627ace642747cac46a2e245d0bae4bf7b057', '\x530449d37c2549fa5c808866ab2e563eace290cf6be4a52d89f6c72edd245a84', 1790000032, true, NULL),
	(28, '\x262ddfdfbe42bcb77e94ddd770853da9e951992c5a9d3766bf98ce97e44ef906', '\x4a18a21f646c1be6643e4b99edb5627ace642747cac46a2e245d0bae4bf7b057', 1790000033, true, NULL),
	(29, '\x9d89f2dcebd48d2a5c62c8fda9c78cab434c0e561e7e0b28ec59eeaade28e2c3', '\x262ddfdfbe42bcb77e94ddd770853da9e951992c5a9d3766bf98ce97e44ef906', 1790000034, true, NULL),
	(30, '\x92130e4c8110561caabac9c8e4b2e941f5100e7b92c707aef81d2b9212f6e51a', '\x9d89f2dcebd48d2a5c62c8fda9c78cab434c0e561e7e0b28ec59eeaade28e2c3', 1790000035, true, NULL),
	(31, '\x137fee2d6eed7ee09fc2b83fa4ad3d111c21616e85b45ec8719247e84518693c', '\x92130e4c8110561caabac9c8e4b2e941f5100e7b92c707aef81d2b9212f6e51a', 1790000036, true, NULL),
	(32, '\xc88a7905d0a0914f84b41ebc97c85d4f8d3f32359d08090e4c50fc3c72acd2fa', '\x137fee2d6eed7ee09fc2b83fa4ad3d111c21616e85b45ec8719247e84518693c', 1790000037, true, NULL),
	(33, '\x6315536cbf31bd88e99af3b45ec67cfd140d779f80d0cadedefa1eb41d148f01', '\xc88a7905d0a0914f84b41ebc97c85d4f8d3f32359d08090e4c50fc3c72acd2fa', 1790000038, true, NULL),
	(34, '\x57e58aea5a3c291095087f1902995df1530c1491b197cf5640efe660592936ac', '\x6315536cbf31bd88e99af3b45ec67cfd140d779f80d0cadedefa1eb41d148f01', 1790000039, true, NULL),
	(35, '\x2f3a8e527ce1813c30f0d92c8cd0a5677eb40bb029283f559195b0437ef8f3bc', '\x57e58aea5a3c291095087f1902995df1530c1491b197cf5640efe660592936ac', 1790000040, true, NULL),
	(36, '\xa02374abb77d22fd6309983bb03a7f583940cebb0b1c99883f38e811155c460e', '\x2f3a8e527ce1813c30f0d92c8cd0a5677eb40bb029283f559195b0437ef8f3bc', 1790000041, true, NULL),
	(37, '\xed76202c2ac2a10adfba81a9db087004adc283ca01273bfc5cb1a9c1b50ea6c1', '\xa02374abb77d22fd6309983bb03a7f583940cebb0b1c99883f38e811155c460e', 1790000042, true, NULL),
	(38, '\x3d6aeb8cd189e7c52038680631cfc32db51d6bbbc70f204aac8f69b51cd147f6', '\xed76202c2ac2a10adfba81a9db087004adc283ca01273bfc5cb1a9c1b50ea6c1', 1790000043, true, NULL),
	(39, '\xd4332060d8d70186537bb4421883031fa7d8999fcd898e5de4ed1cdf5aec73d4', '\x3d6aeb8cd189e7c52038680631cfc32db51d6bbbc70f204aac8f69b51cd147f6', 1790000044, true, NULL),
	(40, '\x912c4b5a9c54cece1c408dc0e39b42dfff6d06748e96b575e6a71f3da95ba988', '\xd4332060d8d70186537bb4421883031fa7d8999fcd898e5de4ed1cdf5aec73d4', 1790000045, true, NULL),
	(41, '\xc0d92e9df85044814b7c3146c662a9a8e532ac145b11808742b7232a61b9246c', '\x912c4b5a9c54cece1c408dc0e39b42dfff6d06748e96b575e6a71f3da95ba988', 1790000046, false, NULL),
	(42, '\xe60970c4cf81979c9a5a861c68b18dd561def028a7561ed9c11e0ce0b41ffe54', '\xc0d92e9df85044814b7c3146c662a9a8e532ac145b11808742b7232a61b9246c', 1790000047, true, NULL),
	(43, '\x04c2de96db196d67c6aae45f34a40bcd5027c9cee1bcd8606c7d0a5a40e52951', '\xe60970c4cf81979c9a5a861c68b18dd561def028a7561ed9c11e0ce0b41ffe54', 1790000048, true, NULL),
	(44, '\xd61dc102b5a4926f3cf817986308e6ec8915dd1f5f256acf6a6361ebba90601a', '\x04c2de96db196d67c6aae45f34a40bcd5027c9cee1bcd8606c7d0a5a40e52951', 1790000049, true, NULL),
	(45, '\x6697a82d1354c162460d31bfa46358fed07413db7d79ec011edbd451ff6e61ca', '\xd61dc102b5a4926f3cf817986308e6ec8915dd1f5f256acf6a6361ebba90601a', 1790000050, true, NULL),
	(46, '\x0141a2b5296fdb2e9632853d52360b2c42ab1640ba9d87410ef2992304fce540', '\x6697a82d1354c162460d31bfa46358fed07413db7d79ec011edbd451ff6e61ca', 1790000051, true, NULL),
	(47, '\xf87449660ea0706c9785662e02df87984f7d2c2ec691c586e5350cd70101bcb2', '\x0141a2b5296fdb2e9632853d52360b2c42ab1640ba9d87410ef2992304fce540', 1790000052, true, NULL),
	(48, '\xa9cd95c130edc5a1ccce102b0ead01faa401f56d9a476477a15e11f44fcd9f96', '\xf87449660ea0706c9785662e02df87984f7d2c2ec691c586e5350cd70101bcb2', 1790000053, true, NULL),
	(49, '\x45f4851e1e2e786fbf765449a56c36c3b81c3d8c6cb74887dd3552eeadc39f07', '\xa9cd95c130edc5a1ccce102b0ead01faa401f56d9a476477a15e11f44fcd9f96', 1790000054, true, NULL),
	(50, '\x3142e5c43e77ebb06eecfc708fd78a88b17ee4c5a2ab3a81b842209290fb8469', '\x45f4851e1e2e786fbf765449a56c36c3b81c3d8c6cb74887dd3552eeadc39f07', 1790000055, false, NULL),
	(51, '\x680e0de414ca2f1f2fc23f02dab3c39fc1ac0856d4db9994b2a79143e6d52a03', '\x3142e5c43e77ebb06eecfc708fd78a88b17ee4c5a2ab3a81b842209290fb8469', 1790000056, false, NULL),
	(52, '\xde8c3ad974feafb765934cc7492a46f687e778230eef0e644ac0e318d007216e', '\x680e0de414ca2f1f2fc23f02dab3c39fc1ac0856d4db9994b2a79143e6d52a03', 1790000057, false, NULL),
	(53, '\x6327adb75d35b07760a1312a165c8d16d1922be23aee79ea2f13b05f8d2321e0', '\xde8c3ad974feafb765934cc7492a46f687e778230eef0e644ac0e318d007216e', 1790000058, false, NULL),
	(54, '\x4afd4894efa3eb4a6157d7551b14963b980f6814929f4900f1a6a5d3d824b8b0', '\x6327adb75d35b07760a1312a165c8d16d1922be23aee79ea2f13b05f8d2321e0', 1790000059, false, NULL),
	(55, '\x1c45df1d237eeff47aee55c3992505f60053cf58ef0b703975d1c07033ed06b5', '\x4afd4894efa3eb4a6157d7551b14963b980f6814929f4900f1a6a5d3d824b8b0', 1790000060, false, NULL),
	(56, '\x6bee44b1456ecd94e9093f3ee9b481d6d80f1b46202bfb57f9cbef3d8520f929', '\x1c45df1d237eeff47aee55c3992505f60053cf58ef0b703975d1c07033ed06b5', 1790000061, false, NULL),
	(57, '\x7d5f82849f8e8e5410e68ff50104a9839db27081d835b97425fb17e6f391e57a', '\x6bee44b1456ecd94e9093f3ee9b481d6d80f1b46202bfb57f9cbef3d8520f929', 1790000062, false, NULL),
	(58, '\xc04427ff809fee69462ac48ebbce619a7f55fb4c10df41031a5cb188dc7b1db7', '\x7d5f82849f8e8e5410e68ff50104a9839db27081d835b97425fb17e6f391e57a', 1790000063, false, NULL),
	(59, '\x41566837736005171a85bd9da1dab7cd8cd51f054fd21c8cda7886075cb4779f', '\xc04427ff809fee69462ac48ebbce619a7f55fb4c10df41031a5cb188dc7b1db7', 1790000064, false, NULL),
	(60, '\x4a193ab20abb13bd28d252f09f925e792ea63f03c92ae5a77433f510b1b843c0', '\x41566837736005171a85bd9da1dab7cd8cd51f054fd21c8cda7886075cb4779f', 1790000074, false, NULL),
	(61, '\x3041124dcaa410fdaec246b64d9702bdbe8585435ec9bdbe28acb25dfbf66d9c', '\x4a193ab20abb13bd28d252f09f925e792ea63f03c92ae5a77433f510b1b843c0', 1790000075, false, NULL),
	(62, '\x1b632d2c10b4cb80664a44fbb90dae50ae0dad8844f94f40f9493dce77bc58e1', '\x3041124dcaa410fdaec246b64d9702bdbe8585435ec9bdbe28acb25dfbf66d9c', 1790000076, false, NULL);


--
-- Data for Name: block_undo; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block_undo VALUES
	(60, 1, 'token', true, '{"address":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","launchpad":"reference","symbol":"ALP","name":"Alpha","decimals":18,"total_supply":1000000000000000000000000000,"creator":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8","admin":null,"created_at":1790000007,"created_block":2,"created_tx_hash":"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04","metadata_uri":null,"image_uri":null,"image_url":null,"description":null,"main_pool":"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","quote_token":null,"quote_rate":1,"quote_usd":null,"price_weth":0.00000000072045903927572893028,"price_quote":0.00000000072045903927572893028,"event_price_weth":0.00000000072045903927572893028,"first_price_weth":0.00000000033284516043136732712,"ath_price_weth":0.00000000072045903927572893028,"close_usd":null,"last_price_at":1790000011,"market_cap_weth":0.72045903927572893028,"liquidity_weth":0.3366,"trade_count":3,"holder_count":2,"last_trade_at":1790000011,"volume_m5":170000000000000000,"buy_volume_m5":170000000000000000,"buys_m5":3,"sells_m5":0,"buyers_m5":1,"sellers_m5":0,"reference_price_m5":null,"price_change_m5":116.4547,"volume_h1":170000000000000000,"buy_volume_h1":170000000000000000,"buys_h1":3,"sells_h1":0,"buyers_h1":1,"sellers_h1":0,"reference_price_h1":null,"price_change_h1":116.4547,"volume_h6":170000000000000000,"buy_volume_h6":170000000000000000,"buys_h6":3,"sells_h6":0,"buyers_h6":1,"sellers_h6":0,"reference_price_h6":null,"price_change_h6":116.4547,"volume_h24":170000000000000000,"buy_volume_h24":170000000000000000,"buys_h24":3,"sells_h24":0,"buyers_h24":1,"sellers_h24":0,"reference_price_h24":null,"price_change_h24":116.4547,"windows_at":1790000014,"windows_expire_at":1790000309,"trades_m5":3,"trades_h1":3,"trades_h24":3,"trending":29,"creator_fee_bps":50,"fees_accrued":850000000000000,"fees_claimed":0,"vesting_claimed":null,"vesting_ends_at":null,"graduation_status":"bonding","graduation_percent":16.83,"raised":168300000000000000,"target":1000000000000000000,"completed_at":null,"migrated_at":null,"graduated_pool":null,"graduated_price_weth":null,"graduation_tx_hash":null,"sequence":1795679270817,"as_of_block":6,"updated_at_ms":1795679270817}'),
	(60, 2, 'pool', true, '{"address":"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","launchpad":"reference","type":"curve","quote_token":"\\x5fbdb2315678afecb367f032d93f642f64180aa3","token_is_token0":true,"fee_bps":100,"reserve_token":656316766808950272678257961,"reserve_quote":168300000000000000,"sqrt_price_x96":null,"tick":null,"liquidity":null,"price":0.00000000072045903927572893028,"created_block":2,"position_id":null,"last_changed_block":6,"positions_token":null,"positions_quote":null}'),
	(60, 3, 'balance', false, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}'),
	(60, 4, 'balance', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","balance":656316766808950272678257961,"type":"curve","last_changed_block":6,"buys":0,"sells":0,"bought_token":0,"sold_token":0,"bought_wei":0,"bought_usd":0,"sold_wei":0,"sold_usd":0,"cost_wei":null,"cost_usd":null,"realized_wei":0,"realized_usd":0,"first_trade_at":null,"last_buy_at":null,"last_sell_at":null}'),
	(60, 5, 'candle', false, '{"time":1790000040,"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":60}'),
	(60, 6, 'candle', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":300,"time":1789999800,"open":0.00000000033284516043136732712,"high":0.00000000072045903927572893028,"low":0.00000000033284516043136732712,"close":0.00000000072045903927572893028,"volume_wei":170000000000000000,"trades":3,"volume_token":343683233191049727321742039,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(60, 7, 'candle', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":900,"time":1789999200,"open":0.00000000033284516043136732712,"high":0.00000000072045903927572893028,"low":0.00000000033284516043136732712,"close":0.00000000072045903927572893028,"volume_wei":170000000000000000,"trades":3,"volume_token":343683233191049727321742039,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(60, 8, 'candle', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":3600,"time":1789999200,"open":0.00000000033284516043136732712,"high":0.00000000072045903927572893028,"low":0.00000000033284516043136732712,"close":0.00000000072045903927572893028,"volume_wei":170000000000000000,"trades":3,"volume_token":343683233191049727321742039,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(60, 9, 'candle', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":14400,"time":1789992000,"open":0.00000000033284516043136732712,"high":0.00000000072045903927572893028,"low":0.00000000033284516043136732712,"close":0.00000000072045903927572893028,"volume_wei":170000000000000000,"trades":3,"volume_token":343683233191049727321742039,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(60, 10, 'candle', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":86400,"time":1789948800,"open":0.00000000033284516043136732712,"high":0.00000000072045903927572893028,"low":0.00000000033284516043136732712,"close":0.00000000072045903927572893028,"volume_wei":170000000000000000,"trades":3,"volume_token":343683233191049727321742039,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(60, 11, 'creator_fee', true, '{"launchpad":"reference","creator":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8","currency":"\\x5fbdb2315678afecb367f032d93f642f64180aa3","scope":"token","token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","accrued":850000000000000,"claimed":0,"last_changed_block":6,"claim_id":null}'),
	(60, 12, 'trader', false, '{"maker":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}'),
	(60, 13, 'index_totals', true, '{"id":1,"counted_at":1790000014,"tokens":2,"bonding":1,"completed":0,"migrated":1,"liquidity_weth":2.336599999999998432,"trades_h24":6,"volume_h24":1181185674432824821,"traders_h24":2}'),
	(60, 14, 'launchpad_totals', true, '{"launchpad":"reference","tokens":2,"bonding":1,"completed":0,"migrated":1,"trades_h24":6,"volume_h24":1181185674432824821}'),
	(61, 1, 'token', true, '{"address":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","launchpad":"reference","symbol":"BET","name":"Beta","decimals":18,"total_supply":1000000000000000000000000000,"creator":"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc","admin":null,"created_at":1790000008,"created_block":3,"created_tx_hash":"\\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789","metadata_uri":null,"image_uri":null,"image_url":null,"description":null,"main_pool":"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","quote_token":null,"quote_rate":1,"quote_usd":null,"price_weth":0.0000000048062841166289442185,"price_quote":0.0000000048062841166289442185,"event_price_weth":0.0000000048062841166289442185,"first_price_weth":0.00000000033284516043136732712,"ath_price_weth":0.0000000048062841166289442185,"close_usd":null,"last_price_at":1790000013,"market_cap_weth":4.8062841166289442185,"liquidity_weth":1.999999999999998432,"trade_count":3,"holder_count":4,"last_trade_at":1790000013,"volume_m5":1011185674432824821,"buy_volume_m5":1010648792703815373,"buys_m5":2,"sells_m5":1,"buyers_m5":2,"sellers_m5":1,"reference_price_m5":null,"price_change_m5":1344,"volume_h1":1011185674432824821,"buy_volume_h1":1010648792703815373,"buys_h1":2,"sells_h1":1,"buyers_h1":2,"sellers_h1":1,"reference_price_h1":null,"price_change_h1":1344,"volume_h6":1011185674432824821,"buy_volume_h6":1010648792703815373,"buys_h6":2,"sells_h6":1,"buyers_h6":2,"sellers_h6":1,"reference_price_h6":null,"price_change_h6":1344,"volume_h24":1011185674432824821,"buy_volume_h24":1010648792703815373,"buys_h24":2,"sells_h24":1,"buyers_h24":2,"sellers_h24":1,"reference_price_h24":null,"price_change_h24":1344,"windows_at":1790000014,"windows_expire_at":1790000308,"trades_m5":3,"trades_h1":3,"trades_h24":3,"trending":58,"creator_fee_bps":50,"fees_accrued":5055955487402962,"fees_claimed":0,"vesting_claimed":null,"vesting_ends_at":null,"graduation_status":"migrated","graduation_percent":100,"raised":1000000000000000000,"target":1000000000000000000,"completed_at":1790000013,"migrated_at":1790000014,"graduated_pool":"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","graduated_price_weth":0.0000000048062841166289442185,"graduation_tx_hash":"\\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f","sequence":1795679270817,"as_of_block":9,"updated_at_ms":1795679270817}'),
	(61, 2, 'pool', true, '{"address":"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","launchpad":"reference","type":"uniswap-v3","quote_token":"\\x5fbdb2315678afecb367f032d93f642f64180aa3","token_is_token0":false,"fee_bps":100,"reserve_token":208060941828254847501000695,"reserve_quote":999999999999999216,"sqrt_price_x96":1142812188864087036860791066263552,"tick":191542,"liquidity":14424317724878873712066,"price":0.0000000048062841166289442185,"created_block":9,"position_id":null,"last_changed_block":9,"positions_token":null,"positions_quote":null}'),
	(61, 3, 'balance', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","holder":"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","balance":208060941828254847501000695,"type":"pool","last_changed_block":9,"buys":0,"sells":0,"bought_token":0,"sold_token":0,"bought_wei":0,"bought_usd":0,"sold_wei":0,"sold_usd":0,"cost_wei":null,"cost_usd":null,"realized_wei":0,"realized_usd":0,"first_trade_at":null,"last_buy_at":null,"last_sell_at":null}'),
	(61, 4, 'balance', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","holder":"\\x90f79bf6eb2c4f870365e785982e1f101e93b906","balance":558750589282476469846235255,"type":"wallet","last_changed_block":8,"buys":1,"sells":0,"bought_token":558750589282476469846235255,"sold_token":0,"bought_wei":910648792703815373,"bought_usd":null,"sold_wei":0,"sold_usd":0,"cost_wei":910648792703815373,"cost_usd":null,"realized_wei":0,"realized_usd":0,"first_trade_at":1790000013,"last_buy_at":1790000013,"last_sell_at":null}'),
	(61, 5, 'candle', false, '{"time":1790000040,"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":60}'),
	(61, 6, 'candle', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":300,"time":1789999800,"open":0.00000000033284516043136732712,"high":0.0000000048062841166289442185,"low":0.00000000033284516043136732712,"close":0.0000000048062841166289442185,"volume_wei":1011185674432824821,"trades":3,"volume_token":792631578947368421426969967,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(61, 7, 'candle', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":900,"time":1789999200,"open":0.00000000033284516043136732712,"high":0.0000000048062841166289442185,"low":0.00000000033284516043136732712,"close":0.0000000048062841166289442185,"volume_wei":1011185674432824821,"trades":3,"volume_token":792631578947368421426969967,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(61, 8, 'candle', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":3600,"time":1789999200,"open":0.00000000033284516043136732712,"high":0.0000000048062841166289442185,"low":0.00000000033284516043136732712,"close":0.0000000048062841166289442185,"volume_wei":1011185674432824821,"trades":3,"volume_token":792631578947368421426969967,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(61, 9, 'candle', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":14400,"time":1789992000,"open":0.00000000033284516043136732712,"high":0.0000000048062841166289442185,"low":0.00000000033284516043136732712,"close":0.0000000048062841166289442185,"volume_wei":1011185674432824821,"trades":3,"volume_token":792631578947368421426969967,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(61, 10, 'candle', true, '{"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":86400,"time":1789948800,"open":0.00000000033284516043136732712,"high":0.0000000048062841166289442185,"low":0.00000000033284516043136732712,"close":0.0000000048062841166289442185,"volume_wei":1011185674432824821,"trades":3,"volume_token":792631578947368421426969967,"open_quote":null,"high_quote":null,"low_quote":null,"close_quote":null,"volume_quote":null,"open_usd":null,"high_usd":null,"low_usd":null,"close_usd":null,"volume_usd":null,"trades_usd":0,"in_usd":false}'),
	(61, 11, 'trader', true, '{"maker":"\\x90f79bf6eb2c4f870365e785982e1f101e93b906","first_trade_at":1790000009,"last_trade_at":1790000013,"trades":4,"volume_wei":1080648792703815373,"tokens":2,"realized_wei":0,"realized_usd":0,"tokens_without_wei":0,"tokens_without_usd":0}'),
	(61, 12, 'index_totals', true, '{"id":1,"counted_at":1790000074,"tokens":2,"bonding":1,"completed":0,"migrated":1,"liquidity_weth":2.395999999999998432,"trades_h24":7,"volume_h24":1211185674432824821,"traders_h24":3}'),
	(61, 13, 'launchpad_totals', true, '{"launchpad":"reference","tokens":2,"bonding":1,"completed":0,"migrated":1,"trades_h24":7,"volume_h24":1211185674432824821}'),
	(62, 1, 'token', true, '{"address":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","launchpad":"reference","symbol":"ALP","name":"Alpha","decimals":18,"total_supply":1000000000000000000000000000,"creator":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8","admin":null,"created_at":1790000007,"created_block":2,"created_tx_hash":"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04","metadata_uri":null,"image_uri":null,"image_url":null,"description":null,"main_pool":"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","quote_token":null,"quote_rate":1,"quote_usd":null,"price_weth":0.0000000008042069498069498064,"price_quote":0.0000000008042069498069498064,"event_price_weth":0.0000000008042069498069498064,"first_price_weth":0.00000000033284516043136732712,"ath_price_weth":0.0000000008042069498069498064,"close_usd":null,"last_price_at":1790000074,"market_cap_weth":0.8042069498069498064,"liquidity_weth":0.396,"trade_count":4,"holder_count":3,"last_trade_at":1790000074,"volume_m5":200000000000000000,"buy_volume_m5":200000000000000000,"buys_m5":4,"sells_m5":0,"buyers_m5":2,"sellers_m5":0,"reference_price_m5":null,"price_change_m5":141.6159,"volume_h1":200000000000000000,"buy_volume_h1":200000000000000000,"buys_h1":4,"sells_h1":0,"buyers_h1":2,"sellers_h1":0,"reference_price_h1":null,"price_change_h1":141.6159,"volume_h6":200000000000000000,"buy_volume_h6":200000000000000000,"buys_h6":4,"sells_h6":0,"buyers_h6":2,"sellers_h6":0,"reference_price_h6":null,"price_change_h6":141.6159,"volume_h24":200000000000000000,"buy_volume_h24":200000000000000000,"buys_h24":4,"sells_h24":0,"buyers_h24":2,"sellers_h24":0,"reference_price_h24":null,"price_change_h24":141.6159,"windows_at":1790000074,"windows_expire_at":1790000309,"trades_m5":4,"trades_h1":4,"trades_h24":4,"trending":58,"creator_fee_bps":50,"fees_accrued":1000000000000000,"fees_claimed":0,"vesting_claimed":null,"vesting_ends_at":null,"graduation_status":"bonding","graduation_percent":19.8,"raised":198000000000000000,"target":1000000000000000000,"completed_at":null,"migrated_at":null,"graduated_pool":null,"graduated_price_weth":null,"graduation_tx_hash":null,"sequence":1795679274914,"as_of_block":60,"updated_at_ms":1795679274914}'),
	(62, 2, 'balance', false, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"}'),
	(62, 3, 'balance', true, '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x90f79bf6eb2c4f870365e785982e1f101e93b906","balance":343683233191049727321742039,"type":"wallet","last_changed_block":6,"buys":3,"sells":0,"bought_token":343683233191049727321742039,"sold_token":0,"bought_wei":170000000000000000,"bought_usd":null,"sold_wei":0,"sold_usd":0,"cost_wei":170000000000000000,"cost_usd":null,"realized_wei":0,"realized_usd":0,"first_trade_at":1790000009,"last_buy_at":1790000011,"last_sell_at":null}'),
	(62, 4, 'index_totals', true, '{"id":1,"counted_at":1790000075,"tokens":2,"bonding":1,"completed":0,"migrated":1,"liquidity_weth":2.795999999999998432,"trades_h24":8,"volume_h24":1411185674432824821,"traders_h24":3}'),
	(62, 5, 'launchpad_totals', true, '{"launchpad":"reference","tokens":2,"bonding":1,"completed":0,"migrated":1,"trades_h24":8,"volume_h24":1411185674432824821}');


--
-- Data for Name: candle; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.candle VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1789999980, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1789999980, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1790000040, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 30000000000000000, 1, 39018259346263706104971535, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 300, 1789999800, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 200000000000000000, 4, 382701492537313433426713574, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 900, 1789999200, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 200000000000000000, 4, 382701492537313433426713574, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 3600, 1789999200, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 200000000000000000, 4, 382701492537313433426713574, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 14400, 1789992000, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 200000000000000000, 4, 382701492537313433426713574, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 86400, 1789948800, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, 200000000000000000, 4, 382701492537313433426713574, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1790000040, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 200000000000000000, 1, 34387367681130600839064581, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 300, 1789999800, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 1211185674432824821, 4, 827018946628499022266034548, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 900, 1789999200, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 1211185674432824821, 4, 827018946628499022266034548, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 3600, 1789999200, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 1211185674432824821, 4, 827018946628499022266034548, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 14400, 1789992000, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 1211185674432824821, 4, 827018946628499022266034548, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 86400, 1789948800, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, 1211185674432824821, 4, 827018946628499022266034548, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT);


--
-- Data for Name: chain_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chain_state VALUES
	(1, 31337, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\x5fbdb2315678afecb367f032d93f642f64180aa3', '[{"name": "reference", "adapter": "bonding-curve", "contracts": {"factory": "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707"}, "startBlock": 1}]', 'c863bb5c-c99f-4600-9fb8-b93b10f74e52', 62, '\x1b632d2c10b4cb80664a44fbb90dae50ae0dad8844f94f40f9493dce77bc58e1', 1790000076, 1795679275284, 59, 15, NULL);


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
-- Data for Name: holder_code; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.holder_code VALUES
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', false),
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', false);


--
-- Data for Name: index_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.index_totals VALUES
	(1, 1790000076, 2, 1, 0, 1, 2.795999999999998432, 8, 1411185674432824821, 3);


--
-- Data for Name: join_exit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.join_exit VALUES
	(9, 9, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', '\x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0', 208060941828254847501000695, 999999999999999216, 208060941828254847501000695, 999999999999999216, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000014),
	(9, 15, '\x8efa1819ff5b279077368d44b593a4543280e402', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', -209368421052631578573030033, -1000000000000000000, 0, 0, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000014);


--
-- Data for Name: launchpad_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.launchpad_totals VALUES
	('reference', 2, 1, 0, 1, 8, 1411185674432824821);


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
	(1, 'Migration0001Initial', '2026-11-26 07:47:48.226415+00'),
	(2, 'Migration0002MinutesFrom', '2026-11-26 07:47:48.226415+00');


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
	('\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 2, 1, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', 0, 1790000007),
	('\x8efa1819ff5b279077368d44b593a4543280e402', 3, 5, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000008),
	('\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 9, 4, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000014);


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
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'BET', 'Beta', 18, 1000000000000000000000000000, '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', NULL, 1790000008, 3, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', NULL, NULL, NULL, NULL, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', NULL, 1, NULL, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, NULL, 1790000075, 6.8979981893223272581, 2.399999999999998432, 4, 4, 1790000075, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1790000075, 1790000308, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 5055955487402962, 0, NULL, NULL, 'migrated', 100, 1000000000000000000, 1000000000000000000, 1790000013, 1790000014, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 0.0000000048062841166289442185, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 1795679275117, 61, 1795679275117),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'reference', 'ALP', 'Alpha', 18, 1000000000000000000000000000, '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', NULL, 1790000007, 2, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', NULL, NULL, NULL, NULL, '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', NULL, 1, NULL, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, NULL, 1790000074, 0.8042069498069498064, 0.396, 4, 4, 1790000074, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 1790000076, 1790000309, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 1000000000000000, 0, NULL, NULL, 'bonding', 19.8, 198000000000000000, 1000000000000000000, NULL, NULL, NULL, NULL, NULL, 1795679275284, 62, 1795679275284);


--
-- Data for Name: trade; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade VALUES
	(3, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\x49da51854cde9297084bed7581eff9786a2171095b1a95b96b0f70ce41535cfe', '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000008),
	(7, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'sell', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1000000000000000000000000, NULL, NULL, 536881729009448, 5423047767772, 0.00000000054230477677722, 0.00000000054166003474890584728, NULL, NULL, NULL, NULL, 768119010335108048419265288, 98457695223222780, '\x939262e3ffd0e33560bc2b504fafb175740afc5e87aefac7014b91845bc2e9fc', '\x971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0', 1, 1790000012),
	(8, 4, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 558750589282476469846235255, NULL, NULL, 910648792703815373, 9106487927038153, 0.0000000016134968303738151965, 0.0000000048062841166289442185, NULL, NULL, NULL, NULL, 209368421052631578573030033, 1000000000000000000, '\x24cc207e2346ceede1e7cc4780aef33011933789817f8b3f0186efca8ad8b370', '\x884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a', 0, 1790000013),
	(4, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\x3cc33d5aed044639d94cbcf6df8e8efa8d6fa13250c688add1bfe1c3cd9111cd', '\xee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b', 0, 1790000009),
	(5, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 82243604204298612592382270, NULL, NULL, 50000000000000000, 500000000000000, 0.00000000060187050991878578015, 0.00000000066718467580881373919, NULL, NULL, NULL, NULL, 684875406130809435826883018, 148500000000000000, '\x76bbd03943f44cbb94798a22be9aa9e04bbeb0d4b7f95d410f3704279a44d3f0', '\x2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9', 0, 1790000010),
	(6, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 28558639321859163148625057, NULL, NULL, 20000000000000000, 200000000000000, 0.0000000006933103421648249228, 0.00000000072045903927572893028, NULL, NULL, NULL, NULL, 656316766808950272678257961, 168300000000000000, '\x9de9a2ca2723005c7f34845abd5a8199c5b1b148306f66559349e6965b020fba', '\xa11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2', 0, 1790000011),
	(60, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, NULL, NULL, 30000000000000000, 300000000000000, 0.00000000076118208494208494149, 0.0000000008042069498069498064, NULL, NULL, NULL, NULL, 617298507462686566573286426, 198000000000000000, '\x4a193ab20abb13bd28d252f09f925e792ea63f03c92ae5a77433f510b1b843c0', '\x76573ea5ed2f276bfb2b103150dc6656bb92ebe86f1930d21af6a0cd6dbc3238', 0, 1790000074),
	(61, 3, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 'pool', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 34387367681130600839064581, NULL, NULL, 200000000000000000, 2000000000000000, 0.0000000057579283717214751737, 0.0000000068979981893223272581, NULL, NULL, NULL, NULL, 173673574147124246661936114, 1199999999999999216, '\x3041124dcaa410fdaec246b64d9702bdbe8585435ec9bdbe28acb25dfbf66d9c', '\xff78ae385186bebc48751cc25f482719101d4b5e53dfbb06062c4cbaeafd77d5', 0, 1790000075);


--
-- Data for Name: trader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trader VALUES
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1790000008, 1790000012, 2, 100536881729009448, 1, 107477851329709, 0, 0, 1),
	('\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 1790000074, 1790000074, 1, 30000000000000000, 1, 0, 0, 0, 0),
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', 1790000009, 1790000075, 5, 1280648792703815373, 2, 0, 0, 0, 0);


--
-- Data for Name: uncollected_fee; Type: TABLE DATA; Schema: public; Owner: -
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
	(1, 1, 9, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\x27343dd1d9d4590608cb31bc24b208da41f04bf594cc4bcd28714efb4e945144', '\x1400000000000000015fc8d32690cc91d4c39d9d3abcbd16989f87570714000000000000000223db4a08f2272df049a4932a4cc3a6dc1002b33e14000000000000000261c36a8d610163660e21a8b7359e1cac0c9133e11400000000000000036743e5c6e1b453372507e8dfd6ca53508721425b1400000000000000038efa1819ff5b279077368d44b593a4543280e40214000000000000000978cb2ce9d9faf59ec49246b50ae814db4527fc10', 29, '\x28b52ffd00581d42003471090181f7c4d5069d12aff4596589f18c1a06bcf8fcc0ab66cf55d718808ec6e12b60d7ce59f502b1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa8680287f7c4d506c91929568ff6f00d5c38e9ba6163a8cabc919abc0356bb7df9bfc88a2bbea1200388f7c4d50649da51854cde9297084bed7581eff9786a2171095b1a95b96b0f70ce41535cfe0489f7c4d5063cc33d5aed044639d94cbcf6df8e8efa8d6fa13250c688add1bfe1c3cd9111cd058af7c4d50676bbd03943f44cbb94798a22be9aa9e04bbeb0d4b7f95d410f3704279a44d3f0068be9a2ca2723005c7f34845abd5a8199c5b1b148306f66559349e6965b020fba078cf7c4d506939262e3ffd0e33560bc2b504fafb175740afc5e87aefac7014b91845bc2e9fc088df7c4d50624cc207e2346ceede1e7cc4780aef33011933789817f8b3f0186efca8ad8b370098ef7c4d50627343dd1d9d4590608cb31bc24b208da41f04bf594cc4bcd28714efb4e9451440623db4a08f2272df049a4932a4cc3a6dc1002b33e5fc8d32690cc91d4c39d9d3abcbd16989f8757076743e5c6e1b453372507e8dfd6ca53508721425b8efa1819ff5b279077368d44b593a4543280e40261c36a8d610163660e21a8b7359e1cac0c9133e178cb2ce9d9faf59ec49246b50ae814db4527fc1018ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef007cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd800000070997970c51812dc3a010c7d01b50e0d17dc79c8b17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00005fbdb2315678afecb367f032d93f642f64180aa36d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da60090f79bf6eb2c4f870365e785982e1f101e93b906bbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3dfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd000098636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c9500007a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde009fe46736679d2d9a65f0992f2272de9f3c7fa6e0fff27660000d89a000dead487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e237408c49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c044e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789ee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9a11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f1d0100000000030001022000033b2e3c9fd0803ce800000001000001010403040502c0030001200001000104f4d3894e116db6037790968dc8efffd1000de0b6b3a7641388000005416c70686103414c500201000002030001060201000301040708090a2001c6bf52634000020100040203000609c0a277bf0b0f49e75064f80201000503030b0909e001016345785d8a038d7ea4c68006548b8306d4ed02b6ee1ecebde0b5e9af9b08015fb7f9b8c380027a8bc4e0c570f300af9b08020100060104030809060442657400034245540003020002010407040503020003000300020c0302000404030b0c0c040300e35fa931a00004034407c2b7b277504b7c913e040300b1a2bc2ec50704677fe336ad72e65c170b69659e3309ca020f93f69525403684022912f9a2b53309ca05045af3107a40000504179f86f096b2ebce89a4a10504470de4df8200b5e620f4804abf7ea1c42d5b46d52674b679cfa9652955ebf553b2c01ee47b387c46b6e6a9652906050101020300090000d3c21bcecceda100000006050104000277536afb6e0605010503030d01e84a84be772804eea6d5f6dc0006529e49db407fb20002b7c1e0ea8cada38a5dcac08d2f11fc7b5f86fc943de0a1af9b080706102d26b90570640706000301ce300a238db1d9926b587707060004030ca346408c3fcecd205a4d720ae0c912d58a3cf5756d00e991d6c6fefbc9f8444291ad2f7cd9068c070f4442910706000503010e2008070002020300060f200807000405011040385851566aebe35e1a3a90a102ec36080700080203000f11ac1a9e41c95b3688dedff7080700090504121314158001030df19ee37777f255c263fcf00e0203000f160114de973d30d08665629a0807000f010317081100018087a8218922862865909919094464240be9000311a1d2e612c040200641408e43188204616812679c23064184129182826ae92f3bf30172fa9860b9fffdf8b402572e94d6908015de4317634d462c0cfc1348abb114346b8b09bb9ea3a6e91c0de2a222eb0b3fff58e603b211c3fd97a0cfa2049caf2f3f08216663f03e0b4b94d07c69259d83a754744aba19e919ebf4af3b93dcdd824011237aee7f8f598608f94bbbccd9c34293a62770eea1f3c9b9235c00d4c226dfc45d40341d13800f074fa4f945ac6320d96d36d7ea8d25336cd564f9431050f48207c59b0d7e0b9554ee1f2bc133b6974dca35ce97b8cee81d24a9858744b68c407ba80c8e2a14fc26a8544f8133601d46808ba1e60ecf8044682b40dc38ba0c1b186a0cadd169f4747a09fbb769d7f4156d5315fa03');


--
-- Data for Name: run; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.run OVERRIDING SYSTEM VALUE VALUES
	(1, '{"kind":"addresses","topics":["0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c","0x1c73a493cbfb6dbead42ab77fa32a3724c98b330d61a93372dd92239d0da426d","0x487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e2374","0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151","0x6d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da6","0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0","0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde","0x7cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd8","0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95","0xb17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6","0xbbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3","0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633","0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67","0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0xdfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd"],"isProven":false}');


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 2, true);


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

CREATE INDEX balance_by_size ON public.balance USING btree (token, ((- balance)), holder) INCLUDE (balance) WHERE (balance > (0)::numeric);


--
-- Name: balance_out_of_circulation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_out_of_circulation ON public.balance USING btree (token) WHERE (type = ANY (ARRAY['burn'::text, 'locker'::text]));


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
-- Name: token_by_name_suffix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_name_suffix ON public.token USING btree (reverse(lower(name)) text_pattern_ops);


--
-- Name: token_by_name_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_name_words ON public.token USING gin (to_tsvector('simple'::regconfig, name)) WITH (fastupdate=off);


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

\unrestrict Jc5PM8iJxUBgjs2Hk00Oc2bu6HlFCEMuI5Mfffqb9qttdAtncw0Vby7Zr4KKlpP

