CREATE TABLE "alarms" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"code" text NOT NULL,
	"subject" text NOT NULL,
	"detail" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "artifacts" (
	"trial" text NOT NULL,
	"sha256" text NOT NULL,
	"size" integer NOT NULL,
	"file" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "artifacts_trial_sha256_pk" PRIMARY KEY("trial","sha256")
);
--> statement-breakpoint
CREATE TABLE "feed_messages" (
	"number" bigint PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "finals" (
	"submission" text PRIMARY KEY NOT NULL,
	"season" text NOT NULL,
	"track" text NOT NULL,
	"team" text NOT NULL,
	"system" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "logs" (
	"season" text PRIMARY KEY NOT NULL,
	"log" text NOT NULL,
	"size" bigint NOT NULL,
	"root" text NOT NULL,
	"peaks" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "order_chunks" (
	"order" text NOT NULL,
	"sha256" text NOT NULL,
	"size" integer NOT NULL,
	CONSTRAINT "order_chunks_order_sha256_pk" PRIMARY KEY("order","sha256")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"digest" text NOT NULL,
	"grading" text NOT NULL,
	"submission" text NOT NULL,
	"grading_number" integer NOT NULL,
	"document" jsonb NOT NULL,
	"state" text NOT NULL,
	"ready" boolean DEFAULT false NOT NULL,
	"hidden" boolean NOT NULL,
	"trials_per_task" integer NOT NULL,
	"nominal_minutes" double precision NOT NULL,
	"accepted_at" timestamp (3) with time zone NOT NULL,
	"deadline" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"result" jsonb,
	"progress_said" text,
	"progress_at" timestamp (3) with time zone,
	CONSTRAINT "orders_number_unique" UNIQUE("number"),
	CONSTRAINT "orders_grading_unique" UNIQUE("grading")
);
--> statement-breakpoint
CREATE TABLE "outgoing" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"report_of" text,
	"message" text NOT NULL,
	"digest" text NOT NULL,
	"maintainers" text,
	"attachments" text[] DEFAULT '{}' NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	"written_at" timestamp (3) with time zone,
	CONSTRAINT "outgoing_report_of_unique" UNIQUE("report_of")
);
--> statement-breakpoint
CREATE TABLE "replays" (
	"id" text PRIMARY KEY NOT NULL,
	"order" text NOT NULL,
	"runner" text NOT NULL,
	"attempt" integer NOT NULL,
	"fencing" bigserial NOT NULL,
	"leased_at" timestamp (3) with time zone NOT NULL,
	"heartbeat_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"finish" jsonb,
	"engine_ms" bigint,
	"environment" jsonb
);
--> statement-breakpoint
CREATE TABLE "runners" (
	"id" text PRIMARY KEY NOT NULL,
	"kid" text NOT NULL,
	"capabilities" jsonb,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"changed" boolean DEFAULT false NOT NULL,
	CONSTRAINT "runners_kid_unique" UNIQUE("kid")
);
--> statement-breakpoint
CREATE TABLE "splits" (
	"digest" text NOT NULL,
	"season" text NOT NULL,
	"track" text NOT NULL,
	"purpose" text NOT NULL,
	"hidden" boolean NOT NULL,
	"secrecy" text NOT NULL,
	"tasks" integer NOT NULL,
	"file" text NOT NULL,
	"salt" text NOT NULL,
	"commitment" text NOT NULL,
	"source" text NOT NULL,
	"active" boolean NOT NULL,
	"held_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "splits_season_track_purpose_digest_pk" PRIMARY KEY("season","track","purpose","digest")
);
--> statement-breakpoint
CREATE TABLE "trials" (
	"id" text PRIMARY KEY NOT NULL,
	"order" text NOT NULL,
	"task" integer NOT NULL,
	"trial" integer NOT NULL,
	"seed" bigint NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"ours_failures" integer DEFAULT 0 NOT NULL,
	"fencing" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"replay" text,
	"agent_done_at" timestamp (3) with time zone,
	"resolved_at" timestamp (3) with time zone,
	"outcome" "bytea",
	"outcome_mark" text,
	"judged" text,
	"failed_phase" text,
	"reward" double precision,
	"prompt_tokens" bigint,
	"cached_tokens" bigint,
	"generated_tokens" bigint
);
--> statement-breakpoint
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_trial_trials_id_fk" FOREIGN KEY ("trial") REFERENCES "public"."trials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_chunks" ADD CONSTRAINT "order_chunks_order_orders_id_fk" FOREIGN KEY ("order") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outgoing" ADD CONSTRAINT "outgoing_report_of_orders_id_fk" FOREIGN KEY ("report_of") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_order_orders_id_fk" FOREIGN KEY ("order") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_runner_runners_id_fk" FOREIGN KEY ("runner") REFERENCES "public"."runners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_order_orders_id_fk" FOREIGN KEY ("order") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_replay_replays_id_fk" FOREIGN KEY ("replay") REFERENCES "public"."replays"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "finals_season_track_team_index" ON "finals" USING btree ("season","track","team");--> statement-breakpoint
CREATE INDEX "order_chunks_sha256_index" ON "order_chunks" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "orders_state_index" ON "orders" USING btree ("state");--> statement-breakpoint
CREATE INDEX "orders_submission_index" ON "orders" USING btree ("submission");--> statement-breakpoint
CREATE INDEX "outgoing_unwritten" ON "outgoing" USING btree ("made_at") WHERE written_at is null;--> statement-breakpoint
CREATE INDEX "outgoing_digest_index" ON "outgoing" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "replays_order_index" ON "replays" USING btree ("order");--> statement-breakpoint
CREATE INDEX "replays_runner_index" ON "replays" USING btree ("runner");--> statement-breakpoint
CREATE UNIQUE INDEX "replays_order_attempt_index" ON "replays" USING btree ("order","attempt");--> statement-breakpoint
CREATE UNIQUE INDEX "splits_active" ON "splits" USING btree ("season","track","purpose") WHERE active;--> statement-breakpoint
CREATE UNIQUE INDEX "trials_once" ON "trials" USING btree ("order","task","trial");--> statement-breakpoint
CREATE INDEX "trials_open" ON "trials" USING btree ("order","state");