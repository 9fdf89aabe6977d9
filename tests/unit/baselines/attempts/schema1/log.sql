PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('format3');
CREATE TABLE attempts (
	id TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	problem_digest TEXT NOT NULL, 
	workspace TEXT NOT NULL, 
	solver TEXT NOT NULL, 
	condition TEXT NOT NULL, 
	created TEXT NOT NULL, 
	study TEXT DEFAULT '' NOT NULL, 
	recording TEXT DEFAULT 'full' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "attempts" VALUES('0123456789abcdef0123456789abcdef','starter/counter','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd','/home/ada/benchwright/starter/counter','human','human','2026-03-01T09:00:00.000000Z','','full');
CREATE TABLE events (
	attempt TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	wall TEXT NOT NULL, 
	mono_ns BIGINT NOT NULL, 
	process TEXT NOT NULL, 
	body TEXT NOT NULL, 
	prev_hash TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	state TEXT NOT NULL, 
	schema INTEGER DEFAULT '1' NOT NULL, 
	PRIMARY KEY (attempt, seq), 
	FOREIGN KEY(attempt) REFERENCES attempts (id)
);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',1,'2026-03-01T09:00:00.000000Z',5000000000,'first','{"files":{"rtl/counter.sv":{"bom":false,"sha256":"b9878dc4dbdd3d4be2dc0e2d849eaca7f69fef3ca66d96cc5aef984fa088618c","text":"module counter;\r\nendmodule\n"}},"type":"opened"}','3f754684620169be4d3df1f428a5cfb6dd1e8d102284d4a5565f464aeb215ec7','676f6411438f2b52b1bb2435c45e4d951ee5f10df13826acefaf0884cd5d84c2','open',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',2,'2026-03-01T09:00:07.250000Z',12250000000,'first','{"type":"started"}','676f6411438f2b52b1bb2435c45e4d951ee5f10df13826acefaf0884cd5d84c2','a8624b528d192b360bc99696f63393a6b30b09de5868239d42e892aa7a67a59b','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',3,'2026-03-01T09:00:14.500000Z',19500000000,'first','{"changes":[{"end":0,"start":0,"text":"// \u00e9\ud83d\ude00\ud800\r\n"}],"path":"rtl/counter.sv","type":"edit","version":2}','a8624b528d192b360bc99696f63393a6b30b09de5868239d42e892aa7a67a59b','2aeb27fbc8eb255af83e53f7318fcdad49104763aaf444db88882006d153f65e','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',4,'2026-03-01T09:00:21.750000Z',26750000000,'first','{"focused":false,"type":"focus"}','2aeb27fbc8eb255af83e53f7318fcdad49104763aaf444db88882006d153f65e','a8ef50a418031cdb70eb8faaa57ff541390166ccbb4f21aaea331af4867a0964','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',5,'2026-03-01T09:00:29.000000Z',34000000000,'first','{"focused":true,"type":"focus"}','a8ef50a418031cdb70eb8faaa57ff541390166ccbb4f21aaea331af4867a0964','ce903a710c0feceb8bc2426d712f4479962c65f3dc84114189f8fb476b1f6843','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',6,'2026-03-01T09:00:36.250000Z',41250000000,'first','{"cause":"created","file":{"bom":false,"sha256":"602fae580f5863abfb31bf356decfdc73bf1224a62aacf6b4829ffa2dbe58390","text":"todo"},"path":"notes.md","type":"text"}','ce903a710c0feceb8bc2426d712f4479962c65f3dc84114189f8fb476b1f6843','e91a6ba443d2314e32fcca9bde01fa36ccc9b54b371f29fa0c458bcd63024cd9','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',7,'2026-03-01T09:00:43.500000Z',48500000000,'first','{"reason":"tea","type":"paused"}','e91a6ba443d2314e32fcca9bde01fa36ccc9b54b371f29fa0c458bcd63024cd9','9dcc68aa5ff51fdce5c5c90561f977859aa87bbfbc41ec6fb978344db6d70d0f','paused',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',8,'2026-03-01T09:00:50.750000Z',55750000000,'first','{"type":"resumed"}','9dcc68aa5ff51fdce5c5c90561f977859aa87bbfbc41ec6fb978344db6d70d0f','92c10a973afc038071a14821374909e2ecb7a1dd98eb1a179304832afd007925','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',9,'2026-03-01T09:00:53.750000Z',58750000000,'first','{"path":"rtl/counter.sv","sha256":"376537451a2f7e7962661cd52807c0aa55ebe39e50d9d9ba7fbbc1226a724d0f","size":41,"type":"save"}','92c10a973afc038071a14821374909e2ecb7a1dd98eb1a179304832afd007925','3246725777ca981631f2e6c2c2178e39a07889059618d3bea9ec3a0c71086830','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',10,'2026-03-01T09:00:53.750000Z',58750000000,'first','{"number":1,"run":"r1","snapshot":{"rtl/counter.sv":"376537451a2f7e7962661cd52807c0aa55ebe39e50d9d9ba7fbbc1226a724d0f"},"type":"run_started"}','3246725777ca981631f2e6c2c2178e39a07889059618d3bea9ec3a0c71086830','82b6a00ad27fc605bd86c2484556d1103085a314a4d7ac3f759a65ae4805bd37','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',11,'2026-03-01T09:00:55.750000Z',60750000000,'first','{"digests":{"problem":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"},"message":"All tests passed.","number":1,"outcome":"passed","passed":5,"reason":"passed","run":"r1","total":5,"type":"run_finished","wall_s":1.9}','82b6a00ad27fc605bd86c2484556d1103085a314a4d7ac3f759a65ae4805bd37','c1e257c91c37f1ff85f23ac599185cf5a0e12f73fcfdf172c87f39c9843aaee0','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',12,'2026-03-01T09:00:55.750000Z',60750000000,'first','{"counts":{"slang":{"errors":0,"warnings":1}},"path":"rtl/counter.sv","type":"diagnostics"}','c1e257c91c37f1ff85f23ac599185cf5a0e12f73fcfdf172c87f39c9843aaee0','8be6d2d3666fdf37cd642f7f249c61d9d51a425b589c61984c362dd5b9a25ded','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',13,'2026-03-01T09:00:55.750000Z',60750000000,'first','{"type":"tick"}','8be6d2d3666fdf37cd642f7f249c61d9d51a425b589c61984c362dd5b9a25ded','5e7ae928b80426fd3a3e112b706fef8f53859a12c25bd7adae7de8ec25975bb1','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',14,'2026-03-01T09:00:56.750000Z',61750000000,'first','{"type":"interrupted"}','5e7ae928b80426fd3a3e112b706fef8f53859a12c25bd7adae7de8ec25975bb1','62774a8d607195c871a5d2c517d9be702c82eae8b49ada17310fc7810e4a5673','running',1);
INSERT INTO "events" VALUES('0123456789abcdef0123456789abcdef',15,'2026-03-01T09:00:56.750000Z',61750000000,'first','{"type":"submitted"}','62774a8d607195c871a5d2c517d9be702c82eae8b49ada17310fc7810e4a5673','358e5d9c23251822fdf7f40b62c16cc57fe3e064111f4503c6de9bcfca428ef9','submitted',1);
CREATE TABLE journal (
	study TEXT NOT NULL, 
	participant TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	wall TEXT NOT NULL, 
	body TEXT NOT NULL, 
	prev_hash TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (study, participant, seq)
);
CREATE TABLE summaries (
	attempt TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (attempt), 
	FOREIGN KEY(attempt) REFERENCES attempts (id)
);
INSERT INTO "summaries" VALUES('0123456789abcdef0123456789abcdef',15,2,'{"clock":{"active_ns":42250000000,"at_ns":56750000000,"held":false,"marks":{"first":[61750000000,56750000000]},"newest":"2026-03-01T09:00:56.750000Z","started":"2026-03-01T09:00:07.250000Z","state":"submitted"},"files":{"notes.md":"602fae580f5863abfb31bf356decfdc73bf1224a62aacf6b4829ffa2dbe58390","rtl/counter.sv":"376537451a2f7e7962661cd52807c0aa55ebe39e50d9d9ba7fbbc1226a724d0f"},"first_pass":{"active_s":41.25,"at":"2026-03-01T09:00:55.750000Z","digests":{"problem":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"},"message":"All tests passed.","number":1,"outcome":"passed","passed":5,"reason":"passed","seq":11,"snapshot":{"rtl/counter.sv":"376537451a2f7e7962661cd52807c0aa55ebe39e50d9d9ba7fbbc1226a724d0f"},"total":5,"wall_s":1.9},"head":"358e5d9c23251822fdf7f40b62c16cc57fe3e064111f4503c6de9bcfca428ef9","kinds":["diagnostics","edit","focus","interrupted","opened","paused","resumed","run_finished","run_started","save","started","submitted","text","tick"],"process":"first","runs":1,"seq":15,"snapshots":{},"undecided":[],"verdict":{"active_s":41.25,"at":"2026-03-01T09:00:55.750000Z","digests":{"problem":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"},"message":"All tests passed.","number":1,"outcome":"passed","passed":5,"reason":"passed","seq":11,"snapshot":{"rtl/counter.sv":"376537451a2f7e7962661cd52807c0aa55ebe39e50d9d9ba7fbbc1226a724d0f"},"total":5,"wall_s":1.9}}');
CREATE TABLE tombstones (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	study TEXT NOT NULL, 
	events INTEGER NOT NULL, 
	head TEXT NOT NULL, 
	deleted TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (kind, id)
);
CREATE INDEX attempts_workspace ON attempts (workspace);
CREATE INDEX attempts_study ON attempts (study);
CREATE INDEX attempts_problem ON attempts (problem);
CREATE TRIGGER attempts_no_update BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER attempts_no_delete BEFORE DELETE ON attempts WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE kind = 'attempt' AND id = OLD.id) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER attempts_no_replace BEFORE INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER attempts_no_return BEFORE INSERT ON attempts WHEN EXISTS (SELECT 1 FROM tombstones WHERE kind = 'attempt' AND id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE kind = 'attempt' AND id = OLD.attempt) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER events_no_gap BEFORE INSERT ON events WHEN NEW.seq IS NOT 1 + (SELECT coalesce(max(seq), 0) FROM events WHERE attempt = NEW.attempt) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE kind = 'participant' AND id = OLD.study || '/' || OLD.participant) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER journal_no_gap BEFORE INSERT ON journal WHEN NEW.seq IS NOT 1 + (SELECT coalesce(max(seq), 0) FROM journal WHERE study = NEW.study AND participant = NEW.participant) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
CREATE TRIGGER tombstones_no_replace BEFORE INSERT ON tombstones WHEN EXISTS (SELECT 1 FROM tombstones WHERE kind = NEW.kind AND id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END;
COMMIT;
