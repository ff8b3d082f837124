CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% only ever grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER ledger_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER feed_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON feed FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER log_leaves_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON log_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE FUNCTION tell_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('vtb_events', NEW.submission);
  IF NEW.state = 'checking' THEN PERFORM pg_notify('vtb_checking', NEW.submission); END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER events_tell AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION tell_event();
