BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE campaigns (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	collection_id INTEGER NOT NULL, 
	settings JSON NOT NULL, 
	edges JSON NOT NULL, 
	pool_rows BLOB NOT NULL, 
	evaluation_rows BLOB NOT NULL, 
	archived BOOLEAN NOT NULL, 
	created_by INTEGER, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_campaigns PRIMARY KEY (id), 
	CONSTRAINT fk_campaigns_collection_id_collections FOREIGN KEY(collection_id) REFERENCES collections (id), 
	CONSTRAINT fk_campaigns_created_by_people FOREIGN KEY(created_by) REFERENCES people (id), 
	CONSTRAINT uq_campaigns_name UNIQUE (name)
);
INSERT INTO "campaigns" VALUES(1,'as it comes',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "tube", "bins": 10, "sampler": "ssar", "max_antecedent": 2, "partitions": 5, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 0, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {}}','{"name": "tube", "params": {"bins": 10, "max_bins": 10, "folds": 10, "seed": 0}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1.79495689636175227168e+09);
INSERT INTO "campaigns" VALUES(2,'partitions',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "tube", "bins": 10, "sampler": "ssarp", "max_antecedent": 1, "partitions": 3, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 0, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {}}','{"name": "tube", "params": {"bins": 10, "max_bins": 10, "folds": 10, "seed": 0}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1.79495708172789883612e+09);
INSERT INTO "campaigns" VALUES(3,'one feature',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "tube", "bins": 10, "sampler": "top_feature", "max_antecedent": 2, "partitions": 5, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 0, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {"feature": 3}}','{"name": "tube", "params": {"bins": 10, "max_bins": 10, "folds": 10, "seed": 0}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1.79495708440943121907e+09);
INSERT INTO "campaigns" VALUES(4,'at random',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "equal_frequency", "bins": 4, "sampler": "random", "max_antecedent": 2, "partitions": 5, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 7, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {}}','{"name": "equal_frequency", "params": {"bins": 4}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.5, 1.5, 2.0], [0.0, 0.5, 1.5, 2.0], [0.0, 0.5, 1.5, 2.0], [0.0, 0.5, 1.5, 2.0], [0.0, 0.5, 1.5, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1794957090.11472);
INSERT INTO "campaigns" VALUES(5,'a committee',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "tube", "bins": 10, "sampler": "committee", "max_antecedent": 1, "partitions": 5, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 11, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {}}','{"name": "tube", "params": {"bins": 10, "max_bins": 10, "folds": 10, "seed": 0}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1.79495709188652539248e+09);
INSERT INTO "campaigns" VALUES(6,'what was dropped',1,'{"grades": [{"name": "Not relevant", "meaning": "Does not help with the query.", "example": "", "colour": ""}, {"name": "Partly relevant", "meaning": "Touches the subject, or answers a part.", "example": "", "colour": ""}, {"name": "Relevant", "meaning": "Answers what the query asks for.", "example": "", "colour": ""}], "guidelines": "", "discretiser": "tube", "bins": 10, "sampler": "ssar", "max_antecedent": 2, "partitions": 5, "ranker": "lrar", "overlap": 1, "aggregation": "majority", "seed": 0, "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 0, "grades_known": false, "extra": {"power": 3.0}}','{"name": "tube", "params": {"bins": 10, "max_bins": 10, "folds": 10, "seed": 0}, "feature_names": ["feature 1", "feature 2", "feature 3", "feature 4", "feature 5"], "edges": [[0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0], [0.0, 0.0001, 0.9999, 1.0001, 1.9999, 2.0]]}',X'789C0DC3070E80201000B0431CB8078EFFFFD436694444B231DBDAD93B581C9D9C5D5CDDDC3D3CBDACDE3EBE7EFE24500115',X'789C030000000001',0,NULL,1.79495742112530565258e+09);
CREATE TABLE claims (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	token VARCHAR(40) NOT NULL, 
	selection_id INTEGER, 
	assumed_grade INTEGER, 
	state VARCHAR(10) NOT NULL, 
	created_at DOUBLE NOT NULL, 
	expires_at DOUBLE NOT NULL, 
	closed_at DOUBLE, 
	CONSTRAINT pk_claims PRIMARY KEY (id), 
	CONSTRAINT state CHECK (state IN ('open', 'used', 'released', 'expired')), 
	CONSTRAINT fk_claims_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id), 
	CONSTRAINT fk_claims_person_id_people FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT fk_claims_selection_id_selections FOREIGN KEY(selection_id) REFERENCES selections (id), 
	CONSTRAINT uq_claims_token UNIQUE (token)
);
INSERT INTO "claims" VALUES(1,1,13,1,'a185e2acea7c8eb5277c5ec8abbe861a',1,NULL,'used',1000000.0,1000600.0,1.79495690270833826063e+09);
INSERT INTO "claims" VALUES(2,1,22,1,'6303ca64cf5aa6006beb3cd602222f6c',2,NULL,'used',1000000.0,1000600.0,1.79495707800505518913e+09);
INSERT INTO "claims" VALUES(3,1,21,1,'3055765c6080dda8552ebbbc5995cdd1',3,NULL,'used',1000000.0,1000600.0,1.79495707806940388677e+09);
INSERT INTO "claims" VALUES(4,1,3,1,'3d7edfe599d1141671ff8b962d69ed32',4,NULL,'used',1000000.0,1000600.0,1.79495707832453250886e+09);
INSERT INTO "claims" VALUES(5,1,5,1,'54416be8c581d6ac9e0776d28accba74',5,NULL,'used',1000000.0,1000600.0,1.79495707835685348505e+09);
INSERT INTO "claims" VALUES(6,1,17,1,'babcfe93a2873e5c7538326fac98572f',6,NULL,'used',1000000.0,1000600.0,1.79495707849952793122e+09);
INSERT INTO "claims" VALUES(7,1,14,1,'d7d738ee630119737458eaf4d3a3fba5',7,NULL,'used',1000000.0,1000600.0,1.7949570787721617222e+09);
INSERT INTO "claims" VALUES(8,1,0,1,'53cf60b210e95e3471ca022451652fe8',8,NULL,'used',1000000.0,1000600.0,1.79495707973657298082e+09);
INSERT INTO "claims" VALUES(9,1,0,1,'c8a236c22e2e1e4a17fe7c6106156572',9,NULL,'open',1000000.0,1000600.0,NULL);
INSERT INTO "claims" VALUES(10,2,14,1,'321b46291ac715e01b28203cedbbfadd',10,NULL,'used',1000000.0,1000600.0,1.794957081855183363e+09);
INSERT INTO "claims" VALUES(11,2,6,1,'f3ee655a325e7e6bf458b0d31d813a65',11,NULL,'used',1000000.0,1000600.0,1.7949570819088697433e+09);
INSERT INTO "claims" VALUES(12,2,23,1,'a476efd833b255066acbab63b00b36db',12,NULL,'used',1000000.0,1000600.0,1.79495708196080350875e+09);
INSERT INTO "claims" VALUES(13,2,3,1,'3265f315b3fb73663a98a4ddd429bd72',13,NULL,'used',1000000.0,1000600.0,1794957082.00325);
INSERT INTO "claims" VALUES(14,2,21,1,'4d6888d68a76c115b6570bd1916a6c0e',14,NULL,'used',1000000.0,1000600.0,1.79495708201193904882e+09);
INSERT INTO "claims" VALUES(15,2,17,1,'5b2eba8049581d7879869636cf3534de',15,NULL,'used',1000000.0,1000600.0,1.79495708204734230042e+09);
INSERT INTO "claims" VALUES(16,2,22,1,'dce7856b873f2e02e99cd0611ee5c8b7',16,NULL,'used',1000000.0,1000600.0,1.79495708215197849271e+09);
INSERT INTO "claims" VALUES(17,2,9,1,'aeb89394d203f3fe0c8cd26693075710',17,NULL,'used',1000000.0,1000600.0,1.79495708220258021357e+09);
INSERT INTO "claims" VALUES(18,2,9,1,'680c34c631acb7fc4c511fa4b1971226',18,NULL,'open',1000000.0,1000600.0,NULL);
INSERT INTO "claims" VALUES(19,3,2,1,'67b700a7394201a0486259fab6e50c1a',19,NULL,'used',1000000.0,1000600.0,1.79495708599123740198e+09);
INSERT INTO "claims" VALUES(20,3,7,1,'02fb371b77a4db22be1f499d8e9fd2d3',20,NULL,'used',1000000.0,1000600.0,1.7949570866300809383e+09);
INSERT INTO "claims" VALUES(21,3,8,1,'3789d22c91ca187ec9ec4dcb8a180130',21,NULL,'used',1000000.0,1000600.0,1.79495708693191075326e+09);
INSERT INTO "claims" VALUES(22,3,13,1,'20f33b348438c745e674715854460c8c',22,NULL,'used',1000000.0,1000600.0,1.79495708701654434202e+09);
INSERT INTO "claims" VALUES(23,3,17,1,'8648a1f8d98379d062bb0f38ec358668',23,NULL,'used',1000000.0,1000600.0,1.79495708725314068792e+09);
INSERT INTO "claims" VALUES(24,3,18,1,'37c9ce8fad8e89035d460cc429c1caa0',24,NULL,'used',1000000.0,1000600.0,1.79495708761619067192e+09);
INSERT INTO "claims" VALUES(25,3,23,1,'a5f9d07e0e47bbf9effc52d38713a8fc',25,NULL,'used',1000000.0,1000600.0,1.79495708856820130345e+09);
INSERT INTO "claims" VALUES(26,3,1,1,'937ec6190a369270ef80f7563f245416',26,NULL,'used',1000000.0,1000600.0,1.79495708879269409178e+09);
INSERT INTO "claims" VALUES(27,3,1,1,'22217b937d71b521a0eca05246db8c8b',27,NULL,'open',1000000.0,1000600.0,NULL);
INSERT INTO "claims" VALUES(28,4,7,1,'2fa71343a02851ab144298365a95b9d6',28,NULL,'used',1000000.0,1000600.0,1.79495709033471155169e+09);
INSERT INTO "claims" VALUES(29,4,12,1,'ebc4e808bf0818e60d3f752fb249f135',29,NULL,'used',1000000.0,1000600.0,1.79495709036000609393e+09);
INSERT INTO "claims" VALUES(30,4,20,1,'15698205dcbf97d9d8dd4521a9d34b3a',30,NULL,'used',1000000.0,1000600.0,1.79495709038596653935e+09);
INSERT INTO "claims" VALUES(31,4,3,1,'9f3a88fa063ba95aaff7a2793241b088',31,NULL,'used',1000000.0,1000600.0,1.79495709046749758719e+09);
INSERT INTO "claims" VALUES(32,4,1,1,'e93105ac3d7d0a0d8d24584e53dceed6',32,NULL,'used',1000000.0,1000600.0,1.79495709052680182463e+09);
INSERT INTO "claims" VALUES(33,4,17,1,'86b063dcd908009e3ffaf68505a1a8a6',33,NULL,'used',1000000.0,1000600.0,1.79495709069710803027e+09);
INSERT INTO "claims" VALUES(34,4,15,1,'356b9b7f91b4c1730a0e7791f8faae9b',34,NULL,'used',1000000.0,1000600.0,1.7949570908865067959e+09);
INSERT INTO "claims" VALUES(35,4,11,1,'2f6075e3733f7568d19cf55b5a4b41d2',35,NULL,'used',1000000.0,1000600.0,1.79495709091389060024e+09);
INSERT INTO "claims" VALUES(36,4,11,1,'555b2c3de6e6dc70cf15317fa9e731b5',36,NULL,'open',1000000.0,1000600.0,NULL);
INSERT INTO "claims" VALUES(37,5,13,1,'4d808dd9a9ffa07b069a72e3e2761340',37,NULL,'used',1000000.0,1000600.0,1.79495709206134724622e+09);
INSERT INTO "claims" VALUES(38,5,22,1,'82557d99472d4ca30fb100e5a6efac94',38,NULL,'used',1000000.0,1000600.0,1.79495728841747617717e+09);
INSERT INTO "claims" VALUES(39,5,9,1,'d1fe81413e50cf0f8e83a371f0cdf54b',39,NULL,'used',1000000.0,1000600.0,1.79495742023446536064e+09);
INSERT INTO "claims" VALUES(40,5,1,1,'74e4363230a28f725b05f21cc677e17f',40,NULL,'used',1000000.0,1000600.0,1.79495742033617019647e+09);
INSERT INTO "claims" VALUES(41,5,4,1,'0c5560a4cf044e527b8bd0c19f7d3384',41,NULL,'used',1000000.0,1000600.0,1.79495742053781270983e+09);
INSERT INTO "claims" VALUES(42,5,0,1,'a13d38dfcf73fadf37e2da078e6402be',42,NULL,'used',1000000.0,1000600.0,1.7949574206527180672e+09);
INSERT INTO "claims" VALUES(43,5,8,1,'961fe578dca18bf00fb02cf63ba9035d',43,NULL,'used',1000000.0,1000600.0,1.79495742079350900652e+09);
INSERT INTO "claims" VALUES(44,5,16,1,'0a745e8e21a796c403e79bbc2662a90c',44,NULL,'used',1000000.0,1000600.0,1.7949574208799862862e+09);
INSERT INTO "claims" VALUES(45,5,16,1,'23f8f9710519e93391d01461a644def5',45,NULL,'open',1000000.0,1000600.0,NULL);
INSERT INTO "claims" VALUES(46,6,13,1,'e6c65abde77f5d904ebcbe853caddeb0',46,NULL,'used',1000000.0,1000600.0,1.79495742171582341193e+09);
INSERT INTO "claims" VALUES(47,6,22,1,'4bb8a9ddbf38def9ecee2b33233149bd',47,NULL,'used',1000000.0,1000600.0,1.79495742196367263788e+09);
INSERT INTO "claims" VALUES(48,6,21,1,'ee6d564dcc19bf7553f35809c8faabd3',48,NULL,'used',1000000.0,1000600.0,1.79495742222536659241e+09);
INSERT INTO "claims" VALUES(49,6,3,1,'295e426bff69df33afcf77b08ae0fbc2',49,NULL,'used',1000000.0,1000600.0,1.79495742233173918725e+09);
INSERT INTO "claims" VALUES(50,6,5,1,'caba53d8cf671960e2154923d7cb967d',50,NULL,'used',1000000.0,1000600.0,1.79495742244755506519e+09);
INSERT INTO "claims" VALUES(51,6,17,1,'99c4bc50d7128ba23d1168a80b14287a',51,NULL,'used',1000000.0,1000600.0,1.79495742256077790255e+09);
INSERT INTO "claims" VALUES(52,6,14,1,'1a0fc2ee42dbd1b957a78b649cff12dc',52,NULL,'used',1000000.0,1000600.0,1.79495742295671916006e+09);
INSERT INTO "claims" VALUES(53,6,0,1,'739ce9efb41ca11400e02c03cd3c593a',53,NULL,'used',1000000.0,1000600.0,1.79495742305209136013e+09);
INSERT INTO "claims" VALUES(54,6,0,1,'e4ba0167815a2a0398478174b8ae56dc',54,NULL,'open',1000000.0,1000600.0,NULL);
CREATE TABLE collection_chunks (
	collection_id INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	stop INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_collection_chunks PRIMARY KEY (collection_id, start), 
	CONSTRAINT fk_collection_chunks_collection_id_collections FOREIGN KEY(collection_id) REFERENCES collections (id)
);
INSERT INTO "collection_chunks" VALUES(1,0,24,X'7801A556C16ED340105D372988A85211E2C6C5E4E220B9A8EB24B420507DE212817C0109215459B1039168D23A09A2145038F005DCF81BBE00BE0095239CF803D8C5F336994D578DC846D6DB37F3663C9E6C264E3A95EA9628D775F1E56BE3CD1F5A1BE2AAE8E5E97852E4A39B83C3634F5C1671B554023F3D7CF42079E28957E224C8F251B708EEF8C1DDDE6E10FA416F588C8B74B03F2CB25CDBEFA72F47B9B28F5EA487B9E28DA815FAED1BA1FFCEFFDF55A3C29784DF7BA5F03C1431253C0F49B6A0879DD0BE1FF4B6DDC54DBA98762E34C27263E7C37D0D428F7CE040D881B0BB90740BF7253DEC26DCD21B3B36967F219E74B0DB689E93F220ED820E0E2B9F89873F2E378887D970F223CED82184DFE664377AE88096DEE8C86E38E9C181763DC68EBC408A871E66A3871F0E42F85D0839FCB3FC099B3E8D0F273F307D6A6AFA3C2F523554307B4E290DF0ECD9D36F2D3B7B569A3CBE5F5BC36329C41EE8914D73BDC79AE77A8F0B7A8DD8F3DE788F7FEDA1379BAA374793BC38DEEF0FB2FC351A14D39D808E062D3D9C576D101EDA8554AE6990CD7573F47261A5740B17D27F9570E13AC5BB907F01DF3E5E617F8DDDE1C1413E189BE3F99DCA079ED9FDB713B9D4F16CB6B7C3D5DA5F7B5ACF86DD7EE6DFF3B3ED7AE8CF98642C62ACC9588BB13663B718DB616C97B1DB8C49AB185E8DE4E5485E8FE405495E91E425495E93E445495E55C4AB8A785511AF2A6AD69F251D6F6DABC25F9CF44B91BE36E85C6998FE3B15F3AF5176A41E7AA74AA9AFF9F799A9F75EE59A8D403B4E0F04FD4BD7D7A68AC59A7A9FD581B6C6831DAC0FB33EA8FAE2E55EBB28C4FCD14E3AEB1774EAAAFAFC54B87349B3BF95DE7309');
CREATE TABLE collections (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	rows INTEGER NOT NULL, 
	features INTEGER NOT NULL, 
	feature_names JSON NOT NULL, 
	queries JSON NOT NULL, 
	language VARCHAR(20), 
	created_at DOUBLE NOT NULL, analyser JSON, 
	CONSTRAINT pk_collections PRIMARY KEY (id), 
	CONSTRAINT uq_collections_content_hash UNIQUE (content_hash)
);
INSERT INTO "collections" VALUES(1,'small','ac0ad9b5c136d1c6cf4c727acc34b20885822f92571619ccd0bdda48334ddcec',24,5,'["1", "2", "3", "4", "5"]','["0", "1", "2", "3", "4", "5"]',NULL,1.7949567562975082398e+09,NULL);
CREATE TABLE document_texts (
	collection_id INTEGER NOT NULL, 
	docid VARCHAR(500) NOT NULL, 
	title TEXT NOT NULL, 
	body TEXT NOT NULL, 
	language VARCHAR(20), 
	CONSTRAINT pk_document_texts PRIMARY KEY (collection_id, docid), 
	CONSTRAINT fk_document_texts_collection_id_collections FOREIGN KEY(collection_id) REFERENCES collections (id)
);
CREATE TABLE files (
	id INTEGER NOT NULL, 
	name VARCHAR(300) NOT NULL, 
	data BLOB NOT NULL, 
	job_id INTEGER, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_files PRIMARY KEY (id), 
	CONSTRAINT fk_files_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE jobs (
	id INTEGER NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	arguments JSON NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	owner VARCHAR(100), 
	lease_until DOUBLE, 
	tries INTEGER NOT NULL, 
	done BIGINT NOT NULL, 
	total BIGINT, 
	message TEXT NOT NULL, 
	result JSON, 
	stop_asked BOOLEAN NOT NULL, 
	person_id INTEGER, 
	created_at DOUBLE NOT NULL, 
	finished_at DOUBLE, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT state CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped')), 
	CONSTRAINT fk_jobs_person_id_people FOREIGN KEY(person_id) REFERENCES people (id)
);
CREATE TABLE label_events (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	"row" INTEGER NOT NULL, 
	person_id INTEGER, 
	grade INTEGER, 
	text TEXT NOT NULL, 
	token VARCHAR(40), 
	undoes INTEGER, 
	seconds DOUBLE, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_label_events PRIMARY KEY (id), 
	CONSTRAINT kind CHECK (kind IN ('grade', 'cannot_tell', 'later', 'undo', 'note', 'draft', 'import', 'adjudicate')), 
	CONSTRAINT fk_label_events_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id), 
	CONSTRAINT fk_label_events_person_id_people FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT fk_label_events_undoes_label_events FOREIGN KEY(undoes) REFERENCES label_events (id), 
	CONSTRAINT uq_label_events_token UNIQUE (token), 
	CONSTRAINT uq_label_events_undoes UNIQUE (undoes)
);
INSERT INTO "label_events" VALUES(1,1,'grade',13,1,2,'','a185e2acea7c8eb5277c5ec8abbe861a',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(2,1,'grade',22,1,1,'','6303ca64cf5aa6006beb3cd602222f6c',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(3,1,'grade',21,1,1,'','3055765c6080dda8552ebbbc5995cdd1',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(4,1,'grade',3,1,2,'','3d7edfe599d1141671ff8b962d69ed32',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(5,1,'grade',5,1,2,'','54416be8c581d6ac9e0776d28accba74',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(6,1,'grade',17,1,2,'','babcfe93a2873e5c7538326fac98572f',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(7,1,'grade',14,1,1,'','d7d738ee630119737458eaf4d3a3fba5',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(8,1,'grade',0,1,2,'','53cf60b210e95e3471ca022451652fe8',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(9,1,'undo',0,1,NULL,'',NULL,8,NULL,1000000.0);
INSERT INTO "label_events" VALUES(10,2,'grade',14,1,1,'','321b46291ac715e01b28203cedbbfadd',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(11,2,'grade',6,1,0,'','f3ee655a325e7e6bf458b0d31d813a65',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(12,2,'grade',23,1,2,'','a476efd833b255066acbab63b00b36db',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(13,2,'grade',3,1,2,'','3265f315b3fb73663a98a4ddd429bd72',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(14,2,'grade',21,1,1,'','4d6888d68a76c115b6570bd1916a6c0e',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(15,2,'grade',17,1,2,'','5b2eba8049581d7879869636cf3534de',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(16,2,'grade',22,1,1,'','dce7856b873f2e02e99cd0611ee5c8b7',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(17,2,'grade',9,1,2,'','aeb89394d203f3fe0c8cd26693075710',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(18,2,'undo',9,1,NULL,'',NULL,17,NULL,1000000.0);
INSERT INTO "label_events" VALUES(19,3,'grade',2,1,0,'','67b700a7394201a0486259fab6e50c1a',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(20,3,'grade',7,1,1,'','02fb371b77a4db22be1f499d8e9fd2d3',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(21,3,'grade',8,1,2,'','3789d22c91ca187ec9ec4dcb8a180130',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(22,3,'grade',13,1,2,'','20f33b348438c745e674715854460c8c',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(23,3,'grade',17,1,2,'','8648a1f8d98379d062bb0f38ec358668',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(24,3,'grade',18,1,2,'','37c9ce8fad8e89035d460cc429c1caa0',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(25,3,'grade',23,1,2,'','a5f9d07e0e47bbf9effc52d38713a8fc',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(26,3,'grade',1,1,0,'','937ec6190a369270ef80f7563f245416',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(27,3,'undo',1,1,NULL,'',NULL,26,NULL,1000000.0);
INSERT INTO "label_events" VALUES(28,4,'grade',7,1,1,'','2fa71343a02851ab144298365a95b9d6',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(29,4,'grade',12,1,0,'','ebc4e808bf0818e60d3f752fb249f135',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(30,4,'grade',20,1,2,'','15698205dcbf97d9d8dd4521a9d34b3a',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(31,4,'grade',3,1,2,'','9f3a88fa063ba95aaff7a2793241b088',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(32,4,'grade',1,1,0,'','e93105ac3d7d0a0d8d24584e53dceed6',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(33,4,'grade',17,1,2,'','86b063dcd908009e3ffaf68505a1a8a6',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(34,4,'grade',15,1,0,'','356b9b7f91b4c1730a0e7791f8faae9b',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(35,4,'grade',11,1,0,'','2f6075e3733f7568d19cf55b5a4b41d2',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(36,4,'undo',11,1,NULL,'',NULL,35,NULL,1000000.0);
INSERT INTO "label_events" VALUES(37,5,'grade',13,1,2,'','4d808dd9a9ffa07b069a72e3e2761340',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(38,5,'grade',22,1,1,'','82557d99472d4ca30fb100e5a6efac94',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(39,5,'grade',9,1,2,'','d1fe81413e50cf0f8e83a371f0cdf54b',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(40,5,'grade',1,1,0,'','74e4363230a28f725b05f21cc677e17f',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(41,5,'grade',4,1,0,'','0c5560a4cf044e527b8bd0c19f7d3384',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(42,5,'grade',0,1,2,'','a13d38dfcf73fadf37e2da078e6402be',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(43,5,'grade',8,1,2,'','961fe578dca18bf00fb02cf63ba9035d',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(44,5,'grade',16,1,2,'','0a745e8e21a796c403e79bbc2662a90c',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(45,5,'undo',16,1,NULL,'',NULL,44,NULL,1000000.0);
INSERT INTO "label_events" VALUES(46,6,'grade',13,1,2,'','e6c65abde77f5d904ebcbe853caddeb0',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(47,6,'grade',22,1,1,'','4bb8a9ddbf38def9ecee2b33233149bd',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(48,6,'grade',21,1,1,'','ee6d564dcc19bf7553f35809c8faabd3',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(49,6,'grade',3,1,2,'','295e426bff69df33afcf77b08ae0fbc2',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(50,6,'grade',5,1,2,'','caba53d8cf671960e2154923d7cb967d',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(51,6,'grade',17,1,2,'','99c4bc50d7128ba23d1168a80b14287a',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(52,6,'grade',14,1,1,'','1a0fc2ee42dbd1b957a78b649cff12dc',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(53,6,'grade',0,1,2,'','739ce9efb41ca11400e02c03cd3c593a',NULL,0.0,1000000.0);
INSERT INTO "label_events" VALUES(54,6,'undo',0,1,NULL,'',NULL,53,NULL,1000000.0);
CREATE TABLE people (
	id INTEGER NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	password_hash VARCHAR(300), 
	email VARCHAR(300), 
	active BOOLEAN NOT NULL, 
	session_epoch INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id), 
	CONSTRAINT role CHECK (role IN ('annotator', 'researcher', 'admin')), 
	CONSTRAINT uq_people_email UNIQUE (email), 
	CONSTRAINT uq_people_name UNIQUE (name)
);
INSERT INTO "people" VALUES(1,'person 0','annotator',NULL,NULL,1,0,1.0);
CREATE TABLE query_texts (
	collection_id INTEGER NOT NULL, 
	qid VARCHAR(500) NOT NULL, 
	text TEXT NOT NULL, 
	need TEXT NOT NULL, terms JSON, 
	CONSTRAINT pk_query_texts PRIMARY KEY (collection_id, qid), 
	CONSTRAINT fk_query_texts_collection_id_collections FOREIGN KEY(collection_id) REFERENCES collections (id)
);
CREATE TABLE selections (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	sampler VARCHAR(40) NOT NULL, 
	rule_count BIGINT, 
	keys JSON NOT NULL, 
	partition INTEGER, 
	stop BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	assumed JSON NOT NULL, 
	seed BIGINT, 
	version VARCHAR(20) NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_selections PRIMARY KEY (id), 
	CONSTRAINT fk_selections_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id)
);
INSERT INTO "selections" VALUES(1,1,13,1,'ssar',0,'[["rules", 0.0], ["occurrence", 48.0]]',NULL,0,'nothing is labelled yet, and its items are the most common: 48 occurrences','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(2,1,22,2,'ssar',0,'[["rules", 0.0], ["occurrence", 33.0]]',NULL,0,'it draws 0 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(3,1,21,3,'ssar',1,'[["rules", 1.0], ["occurrence", 38.0]]',NULL,0,'it draws 1 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(4,1,3,4,'ssar',5,'[["rules", 5.0], ["occurrence", 40.0]]',NULL,0,'it draws 5 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(5,1,5,5,'ssar',6,'[["rules", 6.0], ["occurrence", 41.0]]',NULL,0,'it draws 6 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(6,1,17,6,'ssar',7,'[["rules", 7.0], ["occurrence", 41.0]]',NULL,0,'it draws 7 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(7,1,14,7,'ssar',9,'[["rules", 9.0], ["occurrence", 47.0]]',NULL,0,'it draws 9 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(8,1,0,8,'ssar',13,'[["rules", 13.0], ["occurrence", 40.0]]',NULL,0,'it draws 13 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(9,1,0,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(10,2,14,1,'ssarp',0,'[["rules", 0.0], ["occurrence", 21.0]]',0,0,'nothing is labelled in partition 1 of 3 (2 features) yet, and its items are the most common there','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(11,2,6,2,'ssarp',0,'[["rules", 0.0], ["occurrence", 19.0]]',1,0,'nothing is labelled in partition 2 of 3 (2 features) yet, and its items are the most common there','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(12,2,23,3,'ssarp',0,'[["rules", 0.0], ["occurrence", 10.0]]',2,0,'nothing is labelled in partition 3 of 3 (1 features) yet, and its items are the most common there','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(13,2,3,4,'ssarp',0,'[["rules", 0.0], ["occurrence", 11.0]]',0,0,'it draws 0 rules in partition 1 of 3 (2 features), the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(14,2,21,5,'ssarp',0,'[["rules", 0.0], ["occurrence", 6.0]]',2,0,'it draws 0 rules in partition 3 of 3 (1 features), the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(15,2,17,6,'ssarp',0,'[["rules", 0.0], ["occurrence", 16.0]]',0,0,'it draws 0 rules in partition 1 of 3 (2 features), the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(16,2,22,7,'ssarp',0,'[["rules", 0.0], ["occurrence", 8.0]]',2,0,'it draws 0 rules in partition 3 of 3 (1 features), the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(17,2,9,8,'ssarp',5,'[["rules", 5.0], ["occurrence", 36.0]]',NULL,0,'5 rules over all partitions, the fewest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(18,2,9,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(19,3,2,1,'top_feature',NULL,'[["value", 2.0], ["row", 2.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(20,3,7,2,'top_feature',NULL,'[["value", 2.0], ["row", 7.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(21,3,8,3,'top_feature',NULL,'[["value", 2.0], ["row", 8.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(22,3,13,4,'top_feature',NULL,'[["value", 2.0], ["row", 13.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(23,3,17,5,'top_feature',NULL,'[["value", 2.0], ["row", 17.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(24,3,18,6,'top_feature',NULL,'[["value", 2.0], ["row", 18.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(25,3,23,7,'top_feature',NULL,'[["value", 2.0], ["row", 23.0]]',NULL,0,'its feature 4 is 2, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(26,3,1,8,'top_feature',NULL,'[["value", 1.0], ["row", 1.0]]',NULL,0,'its feature 4 is 1, the highest of those without a grade','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(27,3,1,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(28,4,7,1,'random',NULL,'[["place", 0.0]]',NULL,0,'number 1 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(29,4,12,2,'random',NULL,'[["place", 1.0]]',NULL,0,'number 2 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(30,4,20,3,'random',NULL,'[["place", 2.0]]',NULL,0,'number 3 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(31,4,3,4,'random',NULL,'[["place", 3.0]]',NULL,0,'number 4 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(32,4,1,5,'random',NULL,'[["place", 4.0]]',NULL,0,'number 5 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(33,4,17,6,'random',NULL,'[["place", 5.0]]',NULL,0,'number 6 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(34,4,15,7,'random',NULL,'[["place", 6.0]]',NULL,0,'number 7 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(35,4,11,8,'random',NULL,'[["place", 7.0]]',NULL,0,'number 8 of a random order of 24 documents','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(36,4,11,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',7,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(37,5,13,1,'committee',NULL,'[["doubt", 0.0], ["occurrence", 48.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.000','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(38,5,22,2,'committee',NULL,'[["doubt", 0.291103166032], ["occurrence", 33.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.291','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(39,5,9,3,'committee',NULL,'[["doubt", 0.53067086852], ["occurrence", 36.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.531','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(40,5,1,4,'committee',NULL,'[["doubt", 0.511919847455], ["occurrence", 42.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.512','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(41,5,4,5,'committee',NULL,'[["doubt", 0.656903256169], ["occurrence", 47.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.657','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(42,5,0,6,'committee',NULL,'[["doubt", 0.651208875988], ["occurrence", 40.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.651','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(43,5,8,7,'committee',NULL,'[["doubt", 0.621615973282], ["occurrence", 38.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.622','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(44,5,16,8,'committee',NULL,'[["doubt", 0.478811384513], ["occurrence", 44.0]]',NULL,0,'the 5 members disagree most on its grade: divergence 0.479','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(45,5,16,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',11,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(46,6,13,1,'ssar',0,'[["rules", 0.0], ["occurrence", 48.0]]',NULL,0,'nothing is labelled yet, and its items are the most common: 48 occurrences','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(47,6,22,2,'ssar',0,'[["rules", 0.0], ["occurrence", 33.0]]',NULL,0,'it draws 0 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(48,6,21,3,'ssar',1,'[["rules", 1.0], ["occurrence", 38.0]]',NULL,0,'it draws 1 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(49,6,3,4,'ssar',5,'[["rules", 5.0], ["occurrence", 40.0]]',NULL,0,'it draws 5 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(50,6,5,5,'ssar',6,'[["rules", 6.0], ["occurrence", 41.0]]',NULL,0,'it draws 6 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(51,6,17,6,'ssar',7,'[["rules", 7.0], ["occurrence", 41.0]]',NULL,0,'it draws 7 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(52,6,14,7,'ssar',9,'[["rules", 9.0], ["occurrence", 47.0]]',NULL,0,'it draws 9 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(53,6,0,8,'ssar',13,'[["rules", 13.0], ["occurrence", 40.0]]',NULL,0,'it draws 13 rules, the fewest of 24 documents','{}',0,'0.1.0',1000000.0);
INSERT INTO "selections" VALUES(54,6,0,8,'undo',NULL,'[]',NULL,0,'you took your last act on it back','{}',0,'0.1.0',1000000.0);
CREATE TABLE settings (
	name VARCHAR(60) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (name)
);
CREATE TABLE snapshots (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	labels INTEGER NOT NULL, 
	event_id INTEGER, 
	settings JSON NOT NULL, 
	"values" JSON NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_snapshots PRIMARY KEY (id), 
	CONSTRAINT fk_snapshots_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id)
);
CREATE INDEX ix_campaigns_collection_id ON campaigns (collection_id);
CREATE INDEX ix_jobs_person_id ON jobs (person_id);
CREATE INDEX ix_jobs_state ON jobs (state);
CREATE INDEX ix_files_job_id ON files (job_id);
CREATE INDEX ix_label_events_campaign_id_id ON label_events (campaign_id, id);
CREATE INDEX ix_label_events_person_id ON label_events (person_id);
CREATE INDEX ix_selections_campaign_id ON selections (campaign_id);
CREATE INDEX ix_snapshots_campaign_id_kind_labels ON snapshots (campaign_id, kind, labels);
CREATE INDEX ix_claims_open ON claims (campaign_id, state);
CREATE INDEX ix_claims_person_id ON claims (person_id);
CREATE INDEX ix_claims_selection_id ON claims (selection_id);
CREATE UNIQUE INDEX uq_claims_open_person ON claims (campaign_id, person_id) WHERE state = 'open';
CREATE TRIGGER label_events_no_update BEFORE UPDATE ON label_events BEGIN SELECT RAISE(ABORT, 'label events are never changed'); END;
CREATE TRIGGER label_events_no_delete BEFORE DELETE ON label_events BEGIN SELECT RAISE(ABORT, 'label events are never changed'); END;
CREATE TRIGGER label_events_no_replace BEFORE INSERT ON label_events WHEN EXISTS (SELECT 1 FROM label_events WHERE id = NEW.id OR token = NEW.token OR undoes = NEW.undoes) BEGIN SELECT RAISE(ABORT, 'this label event is in the log already'); END;
COMMIT;
