CREATE TABLE "research_log" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"run" text NOT NULL,
	"digest" text NOT NULL,
	"kind" text NOT NULL,
	"line" jsonb NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "research_totals" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"run" text NOT NULL,
	"generated_tokens" bigint,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "research_log" ADD CONSTRAINT "research_log_run_runs_id_fk" FOREIGN KEY ("run") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "research_totals" ADD CONSTRAINT "research_totals_run_runs_id_fk" FOREIGN KEY ("run") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "research_log_run_digest_index" ON "research_log" USING btree ("run","digest");--> statement-breakpoint
CREATE INDEX "research_log_run_number_index" ON "research_log" USING btree ("run","number");--> statement-breakpoint
CREATE INDEX "research_totals_run_number_index" ON "research_totals" USING btree ("run","number");--> statement-breakpoint
CREATE TRIGGER research_log_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON research_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER research_totals_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON research_totals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
